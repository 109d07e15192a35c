/*
 * Functions in assembly that have the row of each instruction written beside it, and the comparison with what is
 * computed from them. They are never run: they are read, as if they were at CODE_ADDRESS.
 *
 * A row comes before its instruction, with the caller's frame pointer last: nothing where it is as the caller had it,
 * else its distance from the CFA, `at_fp` (saved where it now points to), or `lost`.
 *
 *     by_sp 16, -16            CFA = sp + 16, the frame pointer at CFA - 16
 *     by_fp 16, -16            CFA = fp + 16
 *     by_word_at_sp 8, 0, lost CFA = *(sp + 8) + 0
 *     by_word_at_fp 8, 0, lost CFA = *(fp + 8) + 0
 *     outermost                it has no caller
 *     not_known
 *     any_row                  whatever it is
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/code/starts.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/code-image.h"
#include "unwind/code/flow.h"
#include "unwind/code/instruction.h"

enum { CODE_FP_LOST = 1, CODE_FP_AT_FP = 2, CODE_ANY_ROW = 1000, CODE_OUTERMOST = 1001 };

/* As the assembler lays it out. */
struct code_expected {
	int32_t at; /* of the instruction, from here */
	int32_t rule, offset, add, fp_offset;
};

struct code_function {
	const char *name;
	const uint8_t *bytes, *end;
	const uint8_t *rest; /* of what lies behind it in the module */
	const struct code_expected *rows, *rows_end;
};

/* The numbers are those of enum sprof_cfa_rule, which the tests assert. */
__asm__(".macro row_here rule, offset, add, fp\n"
	"77771:\n"
	".pushsection .rodata\n"
	".long 77771b - ., \\rule, \\offset, \\add, \\fp\n"
	".popsection\n"
	".endm\n"
	".macro not_known\n row_here 0, 0, 0, 0\n .endm\n"
	".macro by_sp offset, fp=0\n row_here 1, \\offset, 0, \\fp\n .endm\n"
	".macro by_fp offset, fp=0\n row_here 2, \\offset, 0, \\fp\n .endm\n"
	".macro by_word_at_sp offset, add, fp=0\n row_here 3, \\offset, \\add, \\fp\n .endm\n"
	".macro by_word_at_fp offset, add, fp=0\n row_here 4, \\offset, \\add, \\fp\n .endm\n"
	".macro any_row\n row_here 1000, 0, 0, 0\n .endm\n"
	".macro outermost\n row_here 1001, 0, 0, 0\n .endm\n"
	".set lost, 1\n.set at_fp, 2\n");

/* The rest is code of other functions, or tables. */
#define FUNCTION_AND(label, body, others) \
	extern const uint8_t label##_begin[], label##_end[], label##_rest[]; \
	extern const struct code_expected label##_rows[], label##_rows_end[]; \
	static const struct code_function label = { \
		#label, label##_begin, label##_end, label##_rest, label##_rows, label##_rows_end}; \
	__asm__(".pushsection .rodata\n.balign 4\n" #label "_rows:\n.popsection\n" \
		".pushsection .text\n" #label "_begin:\n" body "\n" #label "_end:\n" others \
		"\n" #label "_rest:\n.popsection\n" \
		".pushsection .rodata\n" #label "_rows_end:\n.popsection\n")

#define FUNCTION(label, body) FUNCTION_AND(label, body, "")

static inline bool code_is_row(
	const struct code_expected *expected, const struct sprof_cfi_row *row)
{
	if (expected->rule == CODE_ANY_ROW)
		return true;
	if (expected->rule == CODE_OUTERMOST)
		return row->ra == SPROF_REG_UNDEFINED && row->cfa != SPROF_CFA_NONE;
	if (expected->rule == SPROF_CFA_NONE)
		return row->cfa == SPROF_CFA_NONE;
	if ((int)row->cfa != expected->rule || row->cfa_offset != expected->offset ||
		row->cfa_add != expected->add || row->ra != SPROF_REG_SAVED || row->ra_offset != -8)
		return false;
	if (!expected->fp_offset)
		return row->fp == SPROF_REG_SAME;
	if (expected->fp_offset == CODE_FP_LOST)
		return row->fp == SPROF_REG_UNDEFINED;
	if (expected->fp_offset == CODE_FP_AT_FP)
		return row->fp == SPROF_REG_SAVED_AT_FP && !row->fp_offset;
	return row->fp == SPROF_REG_SAVED && row->fp_offset == expected->fp_offset;
}

static inline const struct sprof_cfi_row *code_row_at(
	const struct sprof_code_rows *rows, uint32_t at)
{
	size_t found = 0;

	assert_true(rows->count > 0);
	while (found + 1 < rows->count && rows->items[found + 1].offset <= at)
		found++;
	return &rows->items[found].row;
}

/* What is true of the rows of any bytes. */
static inline void code_check_rows(const struct sprof_code_rows *rows, uint32_t size)
{
	for (size_t i = 0; i < rows->count; i++) {
		assert_true(rows->items[i].offset < size);
		assert_true(i ? rows->items[i].offset > rows->items[i - 1].offset
			      : rows->items[i].offset == 0);
	}
}

static inline void code_check_function(
	const struct code_function *function, const struct sprof_code_rows *rows)
{
	unsigned wrong = 0;

	assert_true(function->rows_end > function->rows);
	for (const struct code_expected *row = function->rows; row < function->rows_end; row++) {
		const uint8_t *at = (const uint8_t *)&row->at + row->at;
		uint32_t offset = (uint32_t)(at - function->bytes);
		const struct sprof_cfi_row *found = code_row_at(rows, offset);

		if (code_is_row(row, found))
			continue;
		print_error("%s+0x%x: rule %d offset %d add %d fp %d, but found rule %d offset %d "
			    "add %d ra %d fp %d@%d\n",
			function->name, offset, row->rule, row->offset, row->add, row->fp_offset,
			found->cfa, found->cfa_offset, found->cfa_add, found->ra, found->fp,
			found->fp_offset);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

/* The module as the computing part of elfsym/ needs it: no file. */
struct code_module {
	struct sprof_segment segment;
	struct sprof_image image;
	uint8_t *bytes;
	size_t size;
};

static inline void code_module_init(struct code_module *module, const uint8_t *bytes, size_t size)
{
	module->bytes = malloc(size + !size);
	assert_non_null(module->bytes);
	memcpy(module->bytes, bytes, size);
	module->size = size;
	module->segment = (struct sprof_segment){.address = CODE_ADDRESS,
		.file_size = size,
		.memory_size = size,
		.executable = true};
	module->image = (struct sprof_image){.bytes = module->bytes,
		.size = size,
		.segments = &module->segment,
		.segment_count = 1,
		.executable_file = true};
}

static inline void code_module_finish(struct code_module *module)
{
	free(module->bytes);
}

static inline void code_check_same(
	const struct sprof_code_row *one, const struct sprof_code_row *other)
{
	assert_int_equal(one->offset, other->offset);
	assert_int_equal(one->row.cfa, other->row.cfa);
	assert_int_equal(one->row.cfa_offset, other->row.cfa_offset);
	assert_int_equal(one->row.cfa_add, other->row.cfa_add);
	assert_int_equal(one->row.ra, other->row.ra);
	assert_int_equal(one->row.fp, other->row.fp);
	assert_int_equal(one->row.fp_offset, other->row.fp_offset);
}

/* The rows are the same each time, and whatever was computed with the same memory before. */
static inline void code_run(const struct sprof_code *code, struct sprof_code_rows *rows)
{
	struct sprof_code_flow *flow = sprof_code_flow_create();
	struct sprof_code_rows again = {0};

	assert_non_null(flow);
	assert_true(sprof_code_flow_run(flow, code, rows));
	assert_true(sprof_code_flow_run(flow, code, &again));
	assert_int_equal(rows->count, again.count);
	for (size_t i = 0; i < rows->count; i++)
		code_check_same(&rows->items[i], &again.items[i]);
	code_check_rows(rows, code->size);
	sprof_code_rows_finish(&again);
	sprof_code_flow_destroy(flow);
}

/* `starts` are those of the functions in the module; NULL: it is not known which functions return. */
static inline void code_expect_in(
	const struct code_function *function, const struct sprof_code_starts *starts)
{
	struct code_module module;
	struct sprof_code code = {
		.address = CODE_ADDRESS, .image = &module.image, .is_whole = true};
	struct sprof_code_rows rows = {0};

	code_module_init(&module, function->bytes, (size_t)(function->rest - function->bytes));
	code.bytes = module.bytes;
	code.size = (uint32_t)(function->end - function->bytes);
	if (starts)
		code.returns = sprof_code_returns_create(&module.image, starts);
	code_run(&code, &rows);
	code_check_function(function, &rows);
	sprof_code_returns_destroy(code.returns);
	sprof_code_rows_finish(&rows);
	code_module_finish(&module);
}

static inline void code_expect(const struct code_function *function)
{
	code_expect_in(function, NULL);
}

/* Nothing can be computed in such a build. The exit status, or 0. */
static inline int code_tests_skipped(void)
{
	if (sprof_instruction_has_decoder())
		return 0;
	print_message("skipped: built without Zydis\n");
	return getenv("SPROF_TESTS_MUST_RUN") ? 1 : 77;
}
