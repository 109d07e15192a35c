/*
 * Rows computed from any bytes as code: as one function, and as several in a program. The first byte says how many
 * functions begin besides the first, as many bytes behind it say how far each is from the one before, and the rest
 * is the code.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/unit/elfsym/code-image.h"
#include "unwind/code/computed.h"
#include "unwind/code/flow.h"
#include "unwind/code/instruction.h"

enum { MOST_STARTS = 15, WORD = 8, LONGEST = 4096 };

/* Nothing leads to an entry with sp elsewhere, or it is not known. */
static void check_entry(const struct sprof_cfi_row *row, const struct sprof_code *code)
{
	struct sprof_instruction first;

	if (!sprof_instruction_decode(code->bytes, code->size, code->address, &first))
		fuzz_require(row->cfa == SPROF_CFA_NONE);
	else if (row->cfa != SPROF_CFA_NONE)
		fuzz_require(row->cfa == SPROF_CFA_SP && row->cfa_offset == WORD &&
			row->ra == SPROF_REG_SAVED && row->ra_offset == -WORD);
}

static void check_rows(const struct sprof_code_rows *rows, const struct sprof_code *code)
{
	fuzz_require(!rows->count == !(code->size && sprof_instruction_has_decoder()));
	for (size_t i = 0; i < rows->count; i++) {
		const struct sprof_cfi_row *row = &rows->items[i].row;

		fuzz_require(rows->items[i].offset < code->size);
		fuzz_require(i ? rows->items[i].offset > rows->items[i - 1].offset
			       : rows->items[i].offset == 0);
		fuzz_require(row->cfa <= SPROF_CFA_FP_DEREF);
		fuzz_require(row->cfa == SPROF_CFA_NONE || row->ra == SPROF_REG_SAVED ||
			row->ra == SPROF_REG_UNDEFINED);
	}
	if (rows->count)
		check_entry(&rows->items[0].row, code);
}

static void check_same(struct sprof_cfi_row one, struct sprof_cfi_row other)
{
	fuzz_require(one.end == other.end && one.cfa == other.cfa && one.ra == other.ra &&
		one.fp == other.fp && one.cfa_offset == other.cfa_offset &&
		one.fp_offset == other.fp_offset && one.cfa_add == other.cfa_add);
}

static void check_equal(const struct sprof_code_rows *one, const struct sprof_code_rows *other)
{
	fuzz_require(one->count == other->count);
	for (size_t i = 0; i < one->count; i++) {
		fuzz_require(one->items[i].offset == other->items[i].offset);
		check_same(one->items[i].row, other->items[i].row);
	}
}

/* With memory that was used for others before, and with new one. */
static void compute(struct sprof_code_flow *used, const struct sprof_code *code)
{
	struct sprof_code_flow *fresh = sprof_code_flow_create();
	struct sprof_code_rows rows = {0}, again = {0};

	fuzz_require(fresh != NULL);
	fuzz_require(sprof_code_flow_run(fresh, code, &rows));
	check_rows(&rows, code);
	fuzz_require(sprof_code_flow_run(used, code, &again));
	check_equal(&rows, &again);
	sprof_code_rows_finish(&rows);
	sprof_code_rows_finish(&again);
	sprof_code_flow_destroy(fresh);
}

static void as_one_function(const struct sprof_image *image, size_t size)
{
	struct sprof_code_flow *flow = sprof_code_flow_create();
	struct sprof_code code = {.image = image, .address = CODE_ADDRESS, .size = (uint32_t)size};

	fuzz_require(flow != NULL);
	code.bytes = sprof_image_at(image, CODE_ADDRESS, size);
	fuzz_require(code.bytes != NULL);
	compute(flow, &code);
	/* Without tables of jumps, and without its last bytes. */
	code.image = NULL;
	code.size -= code.size / 8;
	compute(flow, &code);
	sprof_code_flow_destroy(flow);
}

/* Where a handler returns to the first byte, a return address is looked up by the byte before. */
static void check_before(struct sprof_computed *computed)
{
	const struct sprof_cfi_row row = sprof_computed_find(computed, CODE_ADDRESS - 1);

	fuzz_require(row.cfa == SPROF_CFA_NONE || row.cfa == SPROF_CFA_SIGNAL);
}

/* Each address has a row that holds there, in whatever order they are asked for. */
static void as_a_program(const struct sprof_image *image, size_t size)
{
	struct sprof_computed *forwards = sprof_computed_create(image);
	struct sprof_computed *backwards = sprof_computed_create(image);

	fuzz_require(forwards && backwards);
	for (size_t at = size; at-- > 0;)
		sprof_computed_find(backwards, CODE_ADDRESS + at);
	for (size_t at = 0; at < size; at++) {
		struct sprof_cfi_row row = sprof_computed_find(forwards, CODE_ADDRESS + at);

		fuzz_require(row.end > CODE_ADDRESS + at && row.end <= CODE_ADDRESS + size);
		fuzz_require(row.cfa <= SPROF_CFA_FP_DEREF || row.cfa == SPROF_CFA_SIGNAL);
		check_same(row, sprof_computed_find(backwards, CODE_ADDRESS + at));
	}
	check_before(forwards);
	fuzz_require(sprof_computed_find(forwards, CODE_ADDRESS + size).cfa == SPROF_CFA_NONE);
	fuzz_require(sprof_computed_find(forwards, UINT64_MAX).cfa == SPROF_CFA_NONE);
	sprof_computed_destroy(forwards);
	sprof_computed_destroy(backwards);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"function", "abort", "start", "exit"};
	struct code_symbol symbols[1 + MOST_STARTS] = {{.name = "entry"}};
	struct code_program program = {.symbols = symbols, .symbol_count = 1};
	size_t starts = size ? data[0] % (MOST_STARTS + 1) : 0;
	struct sprof_image *image;

	if (size <= 1 + starts)
		return 0;
	program.code = data + 1 + starts;
	program.size = size - 1 - starts < LONGEST ? size - 1 - starts : LONGEST;
	program.is_dynamic = data[0] & 0x80;
	for (size_t i = 0; i < starts; i++) {
		uint32_t at = symbols[i].at + data[1 + i];

		if (at >= program.size)
			break;
		symbols[program.symbol_count++] = (struct code_symbol){names[i % 4], at};
	}
	image = code_image_open(&program);
	fuzz_require(image != NULL);
	as_one_function(image, program.size);
	as_a_program(image, program.size);
	sprof_image_close(image);
	return 0;
}
