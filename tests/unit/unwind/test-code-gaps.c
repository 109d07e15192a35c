/*
 * elfsym/code-gaps: code that no way leads to, such as handlers of exceptions and functions that are called through
 * pointers only, and code behind a call and padding.
 */
#include "unwind/code/flow.h"

#include "tests/unit/unwind/code-functions.h"

/* Handlers of exceptions: only tables that are not read lead to them. */
FUNCTION(landing_pad,
	"by_sp 8; push %rbx\n"
	"by_sp 16; sub $16, %rsp\n"
	"by_sp 32; call *%rax\n"
	"1: by_sp 32; add $16, %rsp\n"
	"by_sp 16; pop %rbx\n"
	"by_sp 8; ret\n"
	"by_sp 32; mov %rax, %rdi\n"
	"by_sp 32; call *%rcx\n"
	"by_sp 32; jmp 1b\n");

FUNCTION(landing_pad_that_goes_on_unwinding,
	"by_sp 8; push %rbx\n"
	"by_sp 16; sub $16, %rsp\n"
	"by_sp 32; call *%rax\n"
	"by_sp 32; add $16, %rsp\n"
	"by_sp 16; pop %rbx\n"
	"by_sp 8; ret\n"
	"by_sp 32; mov %rax, %rbx\n"
	"by_sp 32; call *%rcx\n"
	"by_sp 32; mov %rbx, %rdi\n"
	"by_sp 32; call *%rcx\n");

/* The most frequent depth of calls does not fit: there it would return with sp elsewhere. */
FUNCTION(landing_pad_of_the_rarer_depth,
	"by_sp 8; call *%rax\n"
	"by_sp 8; call *%rax\n"
	"by_sp 8; push %rbx\n"
	"by_sp 16; call *%rax\n"
	"by_sp 16; pop %rbx\n"
	"by_sp 8; ret\n"
	"by_sp 16; mov %rax, %rdi\n"
	"by_sp 16; call *%rcx\n"
	"by_sp 16; pop %rbx\n"
	"by_sp 8; ret\n");

/* Called through pointers only, and no symbol tells of it. */
FUNCTION(function_behind_a_return,
	"by_sp 8; sub $24, %rsp\n"
	"by_sp 32; call *%rax\n"
	"by_sp 32; add $24, %rsp\n"
	"by_sp 8; ret\n"
	".nops 5\n"
	"by_sp 8; push %rbp\n"
	"by_sp 16; mov %rsp, %rbp\n"
	"by_sp 16, -16; call *%rax\n"
	"by_sp 16, -16; pop %rbp\n"
	"by_sp 8; ret\n");

/* It doesn't even return: only its first instruction tells. */
FUNCTION(function_behind_a_return_without_one,
	"by_sp 8; sub $24, %rsp\n"
	"by_sp 32; call *%rax\n"
	"by_sp 32; add $24, %rsp\n"
	"by_sp 8; ret\n"
	"by_sp 8; push %rbx\n"
	"by_sp 16; call *%rax\n");

static void code_that_nothing_leads_to(void **state)
{
	code_expect(&landing_pad);
	code_expect(&landing_pad_that_goes_on_unwinding);
	code_expect(&landing_pad_of_the_rarer_depth);
	code_expect(&function_behind_a_return);
	code_expect(&function_behind_a_return_without_one);
}

/* Behind a call and padding: nothing tells that the call doesn't return, but the return there. */
FUNCTION(another_function_behind_doubtful_padding,
	"by_sp 8; push %rbx\n"
	"by_sp 16; sub $32, %rsp\n"
	"by_sp 48; call *%rax\n"
	"any_row; nopl 0(%rax)\n"
	"by_sp 8; push %r12\n"
	"by_sp 16; call *%rax\n"
	"by_sp 16; pop %r12\n"
	"by_sp 8; ret\n");

/* Padding may as well be that of a loop's head. */
FUNCTION(loop_behind_padding,
	"by_sp 8; push %rbx\n"
	"by_sp 16; call *%rax\n"
	"any_row; nopl 0(%rax)\n"
	"1: by_sp 16; call *%rcx\n"
	"by_sp 16; dec %ebx\n"
	"by_sp 16; jne 1b\n"
	"by_sp 16; pop %rbx\n"
	"by_sp 8; ret\n");

static void code_behind_a_call_and_padding(void **state)
{
	code_expect(&another_function_behind_doubtful_padding);
	code_expect(&loop_behind_padding);
}

TEST_MAIN("code-gaps")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_that_nothing_leads_to),
		cmocka_unit_test(code_behind_a_call_and_padding),
	};
	int skipped = code_tests_skipped();

	return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
