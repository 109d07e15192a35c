/*
 * unwind/code-flow and calls that don't return: as the functions of the module are known, or as the code behind the
 * call tells.
 */
#include "unwind/code/flow.h"

#include "tests/unit/unwind/code-functions.h"

/* Nothing says that it doesn't return but for the code behind. */
FUNCTION(call_before_another_depth,
	"by_sp 8; test %edi, %edi\n"
	"by_sp 8; je 1f\n"
	"by_sp 8; push %rbx\n"
	"by_sp 16; push %r12\n"
	"by_sp 24; call *%rax\n"
	"1: by_sp 8; mov $1, %eax\n"
	"by_sp 8; ret\n");

/* The same with the jump that comes later. */
FUNCTION(call_before_a_depth_found_later,
	"by_sp 8; sub $24, %rsp\n"
	"by_sp 32; cmp $3, %edi\n"
	"by_sp 32; jne 2f\n"
	"by_sp 32; push %rax\n"
	"by_sp 40; call *%rax\n"
	"1: by_sp 32; add $24, %rsp\n"
	"by_sp 8; ret\n"
	"2: by_sp 32; call *%rcx\n"
	"by_sp 32; jmp 1b\n");

FUNCTION_AND(call_of_one_that_never_returns,
	"by_sp 8; push %rbx\n"
	"by_sp 16; test %edi, %edi\n"
	"by_sp 16; je 1f\n"
	"by_sp 16; sub $64, %rsp\n"
	"by_sp 80; call call_of_one_that_never_returns_end\n"
	"1: by_sp 16; pop %rbx\n"
	"by_sp 8; ret\n",
	"ud2\n");

/* Behind the call: padding and another function, which nothing calls. */
FUNCTION_AND(another_function_behind_padding,
	"by_sp 8; push %rbx\n"
	"by_sp 16; sub $32, %rsp\n"
	"by_sp 48; call another_function_behind_padding_end\n"
	"any_row; nopw 0(%rax,%rax,1)\n"
	"by_sp 8; push %r12\n"
	"by_sp 16; call *%rax\n"
	"by_sp 16; pop %r12\n"
	"by_sp 8; ret\n",
	"hlt\n");

FUNCTION(another_function_without_padding,
	"by_sp 8; push %rbx\n"
	"by_sp 16; sub $16, %rsp\n"
	"by_sp 32; call *%rax\n"
	"by_sp 8; push %r12\n"
	"by_sp 16; mov %edi, %r12d\n"
	"by_sp 16; pop %r12\n"
	"by_sp 8; ret\n");

static void calls_that_do_not_return(void **state)
{
	uint64_t starts[2] = {CODE_ADDRESS};
	const struct sprof_code_starts known = {.functions = {starts, 2, 2}};

	code_expect(&call_before_another_depth);
	code_expect(&call_before_a_depth_found_later);
	starts[1] = CODE_ADDRESS +
		(uint64_t)(call_of_one_that_never_returns.end -
			call_of_one_that_never_returns.bytes);
	code_expect_in(&call_of_one_that_never_returns, &known);
	starts[1] = CODE_ADDRESS +
		(uint64_t)(another_function_behind_padding.end -
			another_function_behind_padding.bytes);
	code_expect_in(&another_function_behind_padding, &known);
	code_expect(&another_function_without_padding);
}

/* Each return shows one of them, and all that was concluded is begun again. */
/* clang-format off */
#define LAST_ACT(label, depth) \
	label ": by_sp 8; sub $" depth ", %rsp\n" \
	"any_row; call *%rax\n" \
	"by_sp 8; push %rbx\n" \
	"by_sp 16; pop %rbx\n" \
	"by_sp 8; ret\n"
#define FOUR_LAST_ACTS(name) \
	LAST_ACT("1" name, "8") LAST_ACT("2" name, "24") LAST_ACT("3" name, "40") LAST_ACT("4" name, "56")
#define FOUR_BRANCHES(name) \
	"by_sp 8; je 1" name "f; by_sp 8; jb 2" name "f; by_sp 8; ja 3" name "f; by_sp 8; js 4" name "f\n"

FUNCTION(many_calls_that_do_not_return,
	"by_sp 8; test %edi, %edi\n"
	FOUR_BRANCHES("0") FOUR_BRANCHES("1") FOUR_BRANCHES("2")
	"by_sp 8; ret\n"
	FOUR_LAST_ACTS("0") FOUR_LAST_ACTS("1") FOUR_LAST_ACTS("2"));

/* clang-format on */

static void many_calls_that_do_not_return_in_one_function(void **state)
{
	code_expect(&many_calls_that_do_not_return);
}

TEST_MAIN("code-calls")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_that_do_not_return),
		cmocka_unit_test(many_calls_that_do_not_return_in_one_function),
	};
	int skipped = code_tests_skipped();

	return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
