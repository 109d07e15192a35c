/* unwind/code-flow: the row at each instruction of functions as compilers and people write them. */
#include "unwind/code/flow.h"

#include "tests/unit/unwind/code-functions.h"

_Static_assert(SPROF_CFA_NONE == 0 && SPROF_CFA_SP == 1 && SPROF_CFA_FP == 2 &&
		SPROF_CFA_SP_DEREF == 3 && SPROF_CFA_FP_DEREF == 4,
	"the assembly has these numbers");

FUNCTION(pushes_and_pops,
	"by_sp 8; push %rbx\n"
	"by_sp 16; push %r12\n"
	"by_sp 24; pushq $7\n"
	"by_sp 32; pushfq\n"
	"by_sp 40; sub $0x18, %rsp\n"
	"by_sp 64; add $-128, %rsp\n"
	"by_sp 192; lea 128(%rsp), %rsp\n"
	"by_sp 64; sub $0x12340, %rsp\n"
	"by_sp 0x12380; call *%rax\n"
	"by_sp 0x12380; add $0x12340, %rsp\n"
	"by_sp 64; add $0x18, %rsp\n"
	"by_sp 40; popfq\n"
	"by_sp 32; pop %rcx\n"
	"by_sp 24; pop %r12\n"
	"by_sp 16; pop %rbx\n"
	"by_sp 8; ret\n");

/* rbp as any other register. */
FUNCTION(frame_pointer_as_a_number,
	"by_sp 8; push %r12\n"
	"by_sp 16; push %rbp\n"
	"by_sp 24; mov $7, %ebp\n"
	"by_sp 24, -24; call *%rax\n"
	"by_sp 24, -24; pop %rbp\n"
	"by_sp 16; pop %r12\n"
	"by_sp 8; ret\n");

FUNCTION(frame_pointer_saved_by_a_move,
	"by_sp 8; sub $24, %rsp\n"
	"by_sp 32; mov %rbp, 8(%rsp)\n"
	"by_sp 32; mov %rdi, %rbp\n"
	"by_sp 32, -24; call *%rax\n"
	"by_sp 32, -24; mov 8(%rsp), %rbp\n"
	"by_sp 32; add $24, %rsp\n"
	"by_sp 8; ret\n");

/* Somebody writes over the word: where it was is not known any more. */
FUNCTION(frame_pointer_written_over,
	"by_sp 8; push %rbp\n"
	"by_sp 16; mov $7, %ebp\n"
	"by_sp 16, -16; movl $0, 4(%rsp)\n"
	"by_sp 16, lost; pop %rbp\n"
	"by_sp 8, lost; ret\n");

FUNCTION(frame_pointer,
	"by_sp 8; endbr64\n"
	"by_sp 8; push %rbp\n"
	"by_sp 16; mov %rsp, %rbp\n"
	"by_sp 16, -16; push %r12\n"
	"by_sp 24, -16; sub $40, %rsp\n"
	"by_sp 64, -16; call *%rax\n"
	"by_sp 64, -16; lea -8(%rbp), %rsp\n"
	"by_sp 24, -16; pop %r12\n"
	"by_sp 16, -16; pop %rbp\n"
	"by_sp 8; ret\n");

FUNCTION(enter_and_leave,
	"by_sp 8; enter $32, $0\n"
	"by_sp 48, -16; push %rbx\n"
	"by_sp 56, -16; leave\n"
	"by_sp 8; ret\n");

FUNCTION(early_return,
	"by_sp 8; push %rbp\n"
	"by_sp 16; mov %rsp, %rbp\n"
	"by_sp 16, -16; sub $32, %rsp\n"
	"by_sp 48, -16; test %edi, %edi\n"
	"by_sp 48, -16; je 1f\n"
	"by_sp 48, -16; leave\n"
	"by_sp 8; ret\n"
	"1: by_sp 48, -16; call *%rax\n"
	"by_sp 48, -16; leave\n"
	"by_sp 8; ret\n");

static void sp_moves_by_constants(void **state)
{
	code_expect(&pushes_and_pops);
	code_expect(&frame_pointer_as_a_number);
	code_expect(&frame_pointer_saved_by_a_move);
	code_expect(&frame_pointer_written_over);
}

static void frame_pointers(void **state)
{
	code_expect(&frame_pointer);
	code_expect(&enter_and_leave);
	code_expect(&early_return);
}

/* How GCC aligns the stack of a function that has arguments on it. */
FUNCTION(aligned_by_gcc,
	"by_sp 8; lea 8(%rsp), %r10\n"
	"by_sp 8; and $-32, %rsp\n"
	"not_known; push -8(%r10)\n"
	"not_known; push %rbp\n"
	"not_known; mov %rsp, %rbp\n"
	"not_known; push %r10\n"
	"by_word_at_sp 0, 0, at_fp; sub $24, %rsp\n"
	"by_word_at_sp 24, 0, at_fp; call *%rax\n"
	"by_word_at_sp 24, 0, at_fp; sub %rax, %rsp\n"
	"by_word_at_fp -8, 0, at_fp; call *%rax\n"
	"by_word_at_fp -8, 0, at_fp; mov -8(%rbp), %r10\n"
	"by_word_at_fp -8, 0, at_fp; leave\n"
	"by_word_at_sp -16, 0; lea -8(%r10), %rsp\n"
	"by_sp 8; ret\n");

FUNCTION(aligned_with_a_frame_pointer,
	"by_sp 8; push %rbp\n"
	"by_sp 16; mov %rsp, %rbp\n"
	"by_sp 16, -16; and $-64, %rsp\n"
	"by_fp 16, -16; sub $128, %rsp\n"
	"by_fp 16, -16; call *%rax\n"
	"by_fp 16, -16; leave\n"
	"by_sp 8; ret\n");

/* As people write it: what sp was is kept in a word of the aligned frame. */
FUNCTION(aligned_by_people,
	"by_sp 8; mov %rsp, %rax\n"
	"by_sp 8; push %rbx\n"
	"by_sp 16; sub $128, %rsp\n"
	"by_sp 144; and $-64, %rsp\n"
	"not_known; mov %rax, 24(%rsp)\n"
	"by_word_at_sp 24, 8; sub $32, %rsp\n"
	"by_word_at_sp 56, 8; call *%rcx\n"
	"by_word_at_sp 56, 8; mov 56(%rsp), %rsi\n"
	"by_word_at_sp 56, 8; mov -8(%rsi), %rbx\n"
	"by_word_at_sp 56, 8; lea (%rsi), %rsp\n"
	"by_sp 8; ret\n");

FUNCTION(aligned_and_loaded,
	"by_sp 8; mov %rsp, %r11\n"
	"by_sp 8; sub $64, %rsp\n"
	"by_sp 72; and $-64, %rsp\n"
	"not_known; mov %r11, (%rsp)\n"
	"by_word_at_sp 0, 8; mov (%rsp), %rsp\n"
	"by_sp 8; ret\n");

/* The word is written over. */
FUNCTION(aligned_and_lost,
	"by_sp 8; mov %rsp, %rax\n"
	"by_sp 8; and $-64, %rsp\n"
	"not_known; push %rax\n"
	"by_word_at_sp 0, 8; movb $0, 7(%rsp)\n"
	"not_known; ud2\n");

static void aligned_stacks(void **state)
{
	code_expect(&aligned_by_gcc);
	code_expect(&aligned_with_a_frame_pointer);
	code_expect(&aligned_by_people);
	code_expect(&aligned_and_loaded);
	code_expect(&aligned_and_lost);
}

FUNCTION(probed_frame,
	"by_sp 8; lea -0x5000(%rsp), %r11\n"
	"1: not_known; sub $4096, %rsp\n"
	"not_known; orq $0, (%rsp)\n"
	"not_known; cmp %r11, %rsp\n"
	"not_known; jne 1b\n"
	"by_sp 0x5008; sub $16, %rsp\n"
	"by_sp 0x5018; call *%rax\n"
	"by_sp 0x5018; add $0x5010, %rsp\n"
	"by_sp 8; ret\n");

FUNCTION(probed_the_other_way,
	"by_sp 8; push %rbx\n"
	"by_sp 16; lea -0x3000(%rsp), %rax\n"
	"1: not_known; sub $4096, %rsp\n"
	"not_known; orl $0, (%rsp)\n"
	"not_known; cmp %rsp, %rax\n"
	"not_known; je 2f\n"
	"not_known; jmp 1b\n"
	"2: by_sp 0x3010; add $0x3000, %rsp\n"
	"by_sp 16; pop %rbx\n"
	"by_sp 8; ret\n");

FUNCTION(allocation,
	"by_sp 8; sub %rax, %rsp\n"
	"not_known; call *%rcx\n"
	"not_known; add %rax, %rsp\n"
	"not_known; ret\n");

FUNCTION(allocation_with_a_frame_pointer,
	"by_sp 8; push %rbp\n"
	"by_sp 16; mov %rsp, %rbp\n"
	"by_sp 16, -16; sub %rax, %rsp\n"
	"by_fp 16, -16; push %rax\n"
	"by_fp 16, -16; mov %rsp, %rdi\n"
	"by_fp 16, -16; call *%rcx\n"
	"by_fp 16, -16; leave\n"
	"by_sp 8; ret\n");

static void frames_of_unknown_size(void **state)
{
	code_expect(&probed_frame);
	code_expect(&probed_the_other_way);
	code_expect(&allocation);
	code_expect(&allocation_with_a_frame_pointer);
}

FUNCTION(ways_that_meet,
	"by_sp 8; test %edi, %edi\n"
	"by_sp 8; je 1f\n"
	"by_sp 8; push %rbx\n"
	"by_sp 16; call *%rax\n"
	"by_sp 16; pop %rbx\n"
	"1: by_sp 8; dec %edi\n"
	"by_sp 8; jne 1b\n"
	"by_sp 8; ret\n");

FUNCTION(ways_of_different_depth,
	"by_sp 8; test %edi, %edi\n"
	"by_sp 8; je 1f\n"
	"by_sp 8; push %rax\n"
	"1: not_known; mov %eax, %edi\n"
	"not_known; ret\n");

/* The depth is known by the frame pointer, as both have the same. */
FUNCTION(ways_of_different_depth_with_a_frame_pointer,
	"by_sp 8; push %rbp\n"
	"by_sp 16; mov %rsp, %rbp\n"
	"by_sp 16, -16; test %edi, %edi\n"
	"by_sp 16, -16; je 1f\n"
	"by_sp 16, -16; push %rax\n"
	"1: by_fp 16, -16; mov %eax, %edi\n"
	"by_fp 16, -16; leave\n"
	"by_sp 8; ret\n");

static void ways_meet(void **state)
{
	code_expect(&ways_that_meet);
	code_expect(&ways_of_different_depth);
	code_expect(&ways_of_different_depth_with_a_frame_pointer);
}

/* The flags are of the last instruction that has set them, not of the last comparison. */
FUNCTION(comparison_that_is_over,
	"by_sp 8; push %rbp\n"
	"by_sp 16; mov %rsp, %rbp\n"
	"by_sp 16, -16; sub $16, %rsp\n"
	"by_sp 32, -16; cmp %rbp, %rsp\n"
	"by_sp 32, -16; ja 1f\n"
	"by_sp 32, -16; test %edi, %edi\n"
	"by_sp 32, -16; jne 1f\n"
	"by_sp 32, -16; call *%rax\n"
	"1: by_sp 32, -16; leave\n"
	"by_sp 8; ret\n");

static void a_comparison_lasts_until_the_next(void **state)
{
	code_expect(&comparison_that_is_over);
}

/* The first entry behind the bound leads to the return, which is at another depth. */
#define CASES \
	"1: by_sp 16; call *%rax\n" \
	"by_sp 16; jmp 9f\n" \
	"2: by_sp 16; push %rax\n" \
	"by_sp 24; call *%rax\n" \
	"by_sp 24; pop %rax\n" \
	"by_sp 16; jmp 9f\n" \
	"3: by_sp 16; mov %edi, %eax\n" \
	"9: by_sp 16; pop %rbx\n" \
	"4: by_sp 8; ret\n"
#define OFFSETS "8: .long 1b - 8b, 2b - 8b, 3b - 8b, 4b - 8b\n"
#define ADDRESS(label, name) ".quad " label " - " name "_begin + 0x401000\n"
#define ADDRESSES(name) \
	"8: " ADDRESS("1b", name) ADDRESS("2b", name) ADDRESS("3b", name) ADDRESS("4b", name)
#define BY_OFFSET \
	"by_sp 16; lea 8f(%rip), %rdx\n" \
	"by_sp 16; movslq (%rdx,%rdi,4), %rax\n" \
	"by_sp 16; add %rdx, %rax\n" \
	"by_sp 16; notrack jmp *%rax\n"

FUNCTION_AND(table_of_offsets,
	"by_sp 8; push %rbx\n"
	"by_sp 16; cmp $2, %edi\n"
	"by_sp 16; ja 9f\n"
	"by_sp 16; mov %edi, %edi\n" BY_OFFSET CASES,
	OFFSETS);

FUNCTION_AND(table_by_a_byte,
	"by_sp 8; push %rbx\n"
	"by_sp 16; cmp $2, %dil\n"
	"by_sp 16; ja 9f\n"
	"by_sp 16; movzbl %dil, %edi\n" BY_OFFSET CASES,
	OFFSETS);

FUNCTION_AND(table_by_memory,
	"by_sp 8; push %rbx\n"
	"by_sp 16; cmpl $3, (%rdi)\n"
	"by_sp 16; jae 9f\n"
	"by_sp 16; mov (%rdi), %edi\n" BY_OFFSET CASES,
	OFFSETS);

/* The way on is that of the cases. */
FUNCTION_AND(table_behind_the_branch,
	"by_sp 8; push %rbx\n"
	"by_sp 16; cmp $2, %edi\n"
	"by_sp 16; jbe 1f\n"
	"by_sp 16; jmp 9f\n"
	"1: " BY_OFFSET CASES,
	OFFSETS);

FUNCTION_AND(table_of_addresses,
	"by_sp 8; push %rbx\n"
	"by_sp 16; cmp $2, %edi\n"
	"by_sp 16; ja 9f\n"
	"by_sp 16; mov %edi, %edi\n"
	"by_sp 16; jmp *(8f - table_of_addresses_begin + 0x401000)(,%rdi,8)\n" CASES,
	ADDRESSES("table_of_addresses"));

FUNCTION_AND(table_of_loaded_addresses,
	"by_sp 8; push %rbx\n"
	"by_sp 16; cmp $2, %edi\n"
	"by_sp 16; ja 9f\n"
	"by_sp 16; mov %edi, %edi\n"
	"by_sp 16; mov (8f - table_of_loaded_addresses_begin + 0x401000)(,%rdi,8), %rax\n"
	"by_sp 16; jmp *%rax\n" CASES,
	ADDRESSES("table_of_loaded_addresses"));

/* Up to the first entry that leads elsewhere. */
FUNCTION_AND(table_without_a_bound, "by_sp 8; push %rbx\n" BY_OFFSET CASES,
	"8: .long 1b - 8b, 2b - 8b, 3b - 8b, 0x7fff0000, 4b - 8b\n");

/* It is nowhere: the cases are tried with what is known at the jump. */
FUNCTION(table_that_is_not_known,
	"by_sp 8; push %rbx\n"
	"by_sp 16; jmp *%rax\n"
	"by_sp 16; call *%rax\n"
	"by_sp 16; jmp 9f\n"
	"by_sp 16; push %rax\n"
	"by_sp 24; call *%rax\n"
	"by_sp 24; pop %rax\n"
	"9: by_sp 16; pop %rbx\n"
	"by_sp 8; ret\n");

static void tables_of_jumps(void **state)
{
	code_expect(&table_of_offsets);
	code_expect(&table_by_a_byte);
	code_expect(&table_by_memory);
	code_expect(&table_behind_the_branch);
	code_expect(&table_of_addresses);
	code_expect(&table_of_loaded_addresses);
	code_expect(&table_without_a_bound);
	code_expect(&table_that_is_not_known);
}

/* As crt1.o has it. */
FUNCTION(start,
	"by_sp 8; endbr64\n"
	"by_sp 8; xor %ebp, %ebp\n"
	"outermost; mov %rdx, %r9\n"
	"outermost; pop %rsi\n"
	"outermost; mov %rsp, %rdx\n"
	"outermost; and $-16, %rsp\n"
	"outermost; push %rax\n"
	"outermost; push %rsp\n"
	"outermost; call *0x1234(%rip)\n"
	"outermost; hlt\n");

/* The child begins on a stack of its own. */
FUNCTION(clone_of_a_thread,
	"by_sp 8; mov $56, %eax\n"
	"by_sp 8; syscall\n"
	"by_sp 8; test %rax, %rax\n"
	"by_sp 8; je 1f\n"
	"by_sp 8; ret\n"
	"1: by_sp 8; xor %ebp, %ebp\n"
	"outermost; pop %rax\n"
	"outermost; pop %rdi\n"
	"outermost; call *%rax\n"
	"outermost; mov %eax, %edi\n"
	"outermost; mov $60, %eax\n"
	"outermost; syscall\n");

/* Zero, but kept: it has a caller. */
FUNCTION(zero_in_a_saved_frame_pointer,
	"by_sp 8; push %rbp\n"
	"by_sp 16; xor %ebp, %ebp\n"
	"by_sp 16, -16; call *%rax\n"
	"by_sp 16, -16; pop %rbp\n"
	"by_sp 8; ret\n");

FUNCTION(zero_in_a_frame_pointer_saved_on_an_aligned_stack,
	"by_sp 8; mov %rsp, %rax\n"
	"by_sp 8; and $-64, %rsp\n"
	"not_known; push %rax\n"
	"by_word_at_sp 0, 8; push %rbp\n"
	"by_word_at_sp 8, 8; xor %ebp, %ebp\n"
	"by_word_at_sp 8, 8, lost; call *%rcx\n"
	"by_word_at_sp 8, 8, lost; pop %rbp\n"
	"by_word_at_sp 0, 8; pop %rsp\n"
	"by_sp 8; ret\n");

static void the_outermost_function(void **state)
{
	code_expect(&start);
	code_expect(&clone_of_a_thread);
	code_expect(&zero_in_a_saved_frame_pointer);
}

static void zero_in_a_frame_pointer_that_is_kept_elsewhere(void **state)
{
	code_expect(&zero_in_a_frame_pointer_saved_on_an_aligned_stack);
}

TEST_MAIN("code-flow")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sp_moves_by_constants),
		cmocka_unit_test(frame_pointers),
		cmocka_unit_test(aligned_stacks),
		cmocka_unit_test(frames_of_unknown_size),
		cmocka_unit_test(ways_meet),
		cmocka_unit_test(a_comparison_lasts_until_the_next),
		cmocka_unit_test(tables_of_jumps),
		cmocka_unit_test(the_outermost_function),
		cmocka_unit_test(zero_in_a_frame_pointer_that_is_kept_elsewhere),
	};
	int skipped = code_tests_skipped();

	return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
