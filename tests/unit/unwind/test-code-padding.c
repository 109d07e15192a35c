/*
 * elfsym/code-gaps: padding behind a call. It runs where it makes the head of a loop lie well, and not where the next
 * function begins behind it.
 */
#include "unwind/code/flow.h"

#include "tests/unit/check.h"
#include "unwind/code/instruction.h"

static const struct sprof_code_row *row_at(const struct sprof_code_rows *rows, uint32_t offset)
{
	size_t at = 0;

	while (at + 1 < rows->count && rows->items[at + 1].offset <= offset)
		at++;
	return &rows->items[at];
}

static void compute(const uint8_t *bytes, uint32_t size, struct sprof_code_rows *rows)
{
	struct sprof_code code = {.bytes = bytes, .size = size, .address = 0x1000};
	struct sprof_code_flow *flow = sprof_code_flow_create();

	if (!sprof_instruction_has_decoder())
		skip();
	assert_non_null(flow);
	assert_true(sprof_code_flow_run(flow, &code, rows));
	sprof_code_flow_destroy(flow);
}

static void check_cfa(const struct sprof_code_rows *rows, uint32_t offset, int32_t distance)
{
	const struct sprof_cfi_row *row = &row_at(rows, offset)->row;

	assert_int_equal(row->cfa, SPROF_CFA_SP);
	assert_int_equal(row->cfa_offset, distance);
}

/* push %rbx; call; nopw; nop; loop: dec %ebx; jne loop; pop %rbx; ret */
static void before_a_loop(void **state)
{
	static const uint8_t code[] = {0x53, 0xe8, 0, 0x10, 0, 0, 0x66, 0x0f, 0x1f, 0x44, 0, 0,
		0x90, 0xff, 0xcb, 0x75, 0xfc, 0x5b, 0xc3};
	struct sprof_code_rows rows = {0};

	compute(code, sizeof(code), &rows);
	for (uint32_t offset = 1; offset < sizeof(code) - 1; offset++)
		check_cfa(&rows, offset, 16);
	check_cfa(&rows, sizeof(code) - 1, 8);
	sprof_code_rows_finish(&rows);
}

/*
 * push %rbp; test %edi, %edi; je out; mov $7, %ebp; call; nopw; out: lock orl $0, (%rsp); xor %eax, %eax; pop %rbp; ret
 *
 * At "out" the frame pointer may have been changed, and is on the stack on either way; the barrier changes nothing.
 */
static void before_the_end(void **state)
{
	static const uint8_t code[] = {0x55, 0x85, 0xff, 0x74, 0x10, 0xbd, 7, 0, 0, 0, 0xe8, 0,
		0x10, 0, 0, 0x66, 0x0f, 0x1f, 0x44, 0, 0, 0xf0, 0x83, 0x0c, 0x24, 0, 0x31, 0xc0,
		0x5d, 0xc3};
	struct sprof_code_rows rows = {0};

	compute(code, sizeof(code), &rows);
	for (uint32_t offset = 10; offset < sizeof(code) - 1; offset++) {
		check_cfa(&rows, offset, 16);
		assert_int_equal(row_at(&rows, offset)->row.fp, SPROF_REG_SAVED);
		assert_int_equal(row_at(&rows, offset)->row.fp_offset, -16);
	}
	sprof_code_rows_finish(&rows);
}

/* push %rbx; call; nopw; next: push %rbp; call; pop %rbp; ret */
static void before_the_next_function(void **state)
{
	static const uint8_t code[] = {0x53, 0xe8, 0, 0x10, 0, 0, 0x66, 0x0f, 0x1f, 0x44, 0, 0,
		0x55, 0xe8, 0, 0x20, 0, 0, 0x5d, 0xc3};
	struct sprof_code_rows rows = {0};

	compute(code, sizeof(code), &rows);
	check_cfa(&rows, 12, 8);
	check_cfa(&rows, 13, 16);
	assert_int_equal(row_at(&rows, 6)->row.cfa, SPROF_CFA_NONE);
	sprof_code_rows_finish(&rows);
}

TEST_MAIN("code-padding")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_a_loop),
		cmocka_unit_test(before_the_end),
		cmocka_unit_test(before_the_next_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
