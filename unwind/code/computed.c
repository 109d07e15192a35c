/*
 * The functions of one module and their computed rows. Does not handle code before the first known
 * function start.
 */
#include "unwind/code/computed.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "elfsym/cfi/cfi.h"
#include "elfsym/code/starts.h"
#include "unwind/code/flow.h"
#include "unwind/code/instruction.h"
#include "unwind/code/state.h"

enum {
	MOST_ROWS = 1 << 20, /* kept; above this, all are dropped and computed again */
	MOST_DEPTH = 3,      /* of parts that other parts jump to */
	MOST_JUMPS = 4,      /* examined to find the state of a part */
};

struct sprof_computed {
	const struct sprof_image *image;
	struct sprof_code_flow *flow;
	struct sprof_code_starts starts;
	struct sprof_code_returns *returns;
	struct sprof_code_rows *functions; /* by start; empty: not computed yet */
	struct sprof_code_rows other;      /* of the code that jumps to a part */
	size_t row_count;
	bool has_read;
};

struct sprof_computed *sprof_computed_create(const struct sprof_image *image)
{
	struct sprof_computed *computed = calloc(1, sizeof(*computed));

	if (computed)
		computed->image = image;
	return computed;
}

static void forget_rows(struct sprof_computed *computed)
{
	for (size_t i = 0; computed->functions && i < computed->starts.functions.count; i++)
		sprof_code_rows_finish(&computed->functions[i]);
	computed->row_count = 0;
}

void sprof_computed_destroy(struct sprof_computed *computed)
{
	if (!computed)
		return;
	forget_rows(computed);
	free(computed->functions);
	sprof_code_rows_finish(&computed->other);
	sprof_code_returns_destroy(computed->returns);
	sprof_code_starts_finish(&computed->starts);
	sprof_code_flow_destroy(computed->flow);
	free(computed);
}

/* If memory is short, there are no functions. */
static void read_starts(struct sprof_computed *computed)
{
	struct sprof_error err;

	computed->has_read = true;
	if (!computed->flow)
		computed->flow = sprof_code_flow_create();
	if (!sprof_instruction_has_decoder() || !computed->flow ||
		!sprof_code_starts_load(&computed->starts, computed->image, false, &err))
		sprof_code_starts_finish(&computed->starts);
	computed->returns = sprof_code_returns_create(computed->image, &computed->starts);
	computed->functions =
		calloc(computed->starts.functions.count + 1, sizeof(*computed->functions));
	if (!computed->functions)
		sprof_code_starts_finish(&computed->starts);
}

/* A function's bytes: up to the next function, or to the end of the code in the file. */
static struct sprof_code code_of(const struct sprof_computed *computed, size_t function)
{
	const uint64_t *starts = computed->starts.functions.items;
	struct sprof_code code = {
		.image = computed->image,
		.returns = computed->returns,
		.starts = &computed->starts,
		.address = starts[function],
	};
	uint64_t size = sprof_image_room(computed->image, code.address);

	if (function + 1 < computed->starts.functions.count &&
		starts[function + 1] - code.address < size)
		size = starts[function + 1] - code.address;
	code.size = size < SPROF_CODE_LONGEST ? (uint32_t)size : SPROF_CODE_LONGEST;
	code.bytes = sprof_image_at(computed->image, code.address, code.size);
	return code;
}

static void follow(struct sprof_computed *computed, struct sprof_code *code, unsigned depth,
	struct sprof_code_rows *rows);

/* The state at a jump to a part of a function. Returns false if unknown. */
static bool find_jump(struct sprof_computed *computed, uint64_t from, unsigned depth,
	struct sprof_code_state *ret)
{
	size_t function = sprof_code_starts_find(&computed->starts, from);
	struct sprof_code code;

	if (function == SIZE_MAX)
		return false;
	code = code_of(computed, function);
	if (!code.bytes || from - code.address >= code.size)
		return false;
	follow(computed, &code, depth + 1, &computed->other);
	return sprof_code_flow_state(computed->flow, (uint32_t)(from - code.address), ret);
}

/* What all jumps to a part agree on. Returns false if they disagree, or nothing is known. */
static bool find_entry(struct sprof_computed *computed, const struct sprof_code_jump *jumps,
	size_t count, unsigned depth, struct sprof_code_state *ret)
{
	struct sprof_code_state state;
	bool found = false;

	for (size_t i = 0; i < count && i < MOST_JUMPS && depth < MOST_DEPTH; i++) {
		if (!find_jump(computed, jumps[i].from, depth, &state))
			continue;
		if (found && sprof_code_state_conflicts(ret, &state))
			return false;
		if (found)
			sprof_code_state_meet(ret, &state);
		else
			*ret = state;
		found = true;
	}
	return found;
}

/* The code must outlive later questions to the flow. */
static void follow(struct sprof_computed *computed, struct sprof_code *code, unsigned depth,
	struct sprof_code_rows *rows)
{
	const struct sprof_code_jump *jumps;
	size_t count = sprof_code_starts_jumps(&computed->starts, code->address, &jumps);
	struct sprof_code_state entry;

	/* A target of tail calls is a function; words below sp mean nothing to it. */
	if (find_entry(computed, jumps, count, depth, &entry))
		code->entry = sprof_code_state_may_return(&entry) ? NULL : &entry;
	else
		code->is_loose = !sprof_code_starts_is_function(&computed->starts, code->address);
	if (!sprof_code_flow_run(computed->flow, code, rows))
		/* no memory: the function has no rows now; try again later */
		rows->count = 0;
	code->entry = NULL;
}

static void compute(struct sprof_computed *computed, size_t function, struct sprof_code *code)
{
	struct sprof_code_rows *rows = &computed->functions[function];

	if (rows->count)
		return;
	if (computed->row_count > MOST_ROWS)
		forget_rows(computed);
	follow(computed, code, 0, rows);
	computed->row_count += rows->count;
}

struct row_search {
	const struct sprof_code_rows *rows;
	uint32_t offset;
};

static bool starts_by(const void *search, size_t index)
{
	const struct row_search *wanted = search;

	return wanted->rows->items[index].offset <= wanted->offset;
}

/* The last row that starts at or before the offset. */
static size_t find_row(const struct sprof_code_rows *rows, uint32_t offset)
{
	const struct row_search search = {rows, offset};

	return sprof_first_index(rows->count, starts_by, &search) - 1;
}

static bool is_signal_return(const struct sprof_image *image, uint64_t address)
{
	const uint8_t *code = sprof_image_at(image, address, SPROF_SIGNAL_RETURN_LONGEST);

	return code && sprof_signal_return_decode(SPROF_MACHINE, code);
}

/* The lookup for a return address uses the byte before. On aarch64 the second instruction, the call
 * itself, is as good. */
static bool is_in_signal_return(const struct sprof_image *image, uint64_t address)
{
	enum { ARM_WORD = 4 };

	return is_signal_return(image, address) || is_signal_return(image, address + 1) ||
		(SPROF_MACHINE == SPROF_MACHINE_AARCH64 &&
			is_signal_return(image, address - ARM_WORD));
}

/* The row at an offset of a function. The function must have rows. */
static struct sprof_cfi_row row_at(
	const struct sprof_code_rows *rows, const struct sprof_code *code, uint32_t offset)
{
	size_t at = find_row(rows, offset);
	struct sprof_cfi_row row = rows->items[at].row;

	row.end = code->address + (at + 1 < rows->count ? rows->items[at + 1].offset : code->size);
	return row;
}

struct sprof_cfi_row sprof_computed_find_in(
	struct sprof_computed *computed, uint64_t start, uint64_t next, uint64_t address)
{
	struct sprof_cfi_row row = {.end = address + 1};
	struct sprof_code_rows rows = {0};
	struct sprof_code code = {.image = computed->image, .address = start, .is_whole = true};

	if (!computed->flow)
		computed->flow = sprof_code_flow_create();
	code.size = next - start <= SPROF_CODE_LONGEST ? (uint32_t)(next - start) : 0;
	code.bytes = sprof_image_at(computed->image, start, code.size);
	if (!computed->flow || !code.bytes || address - start >= code.size)
		return row;
	if (sprof_code_flow_run(computed->flow, &code, &rows) && rows.count)
		row = row_at(&rows, &code, (uint32_t)(address - start));
	sprof_code_rows_finish(&rows);
	return row;
}

struct sprof_cfi_row sprof_computed_find(struct sprof_computed *computed, uint64_t address)
{
	struct sprof_cfi_row none = {.end = address + 1}, row;
	const struct sprof_code_rows *rows;
	struct sprof_code code;
	size_t function;

	if (is_in_signal_return(computed->image, address))
		return (struct sprof_cfi_row){.end = address + 1, .cfa = SPROF_CFA_SIGNAL};
	if (!computed->has_read)
		read_starts(computed);
	function = sprof_code_starts_find(&computed->starts, address);
	if (function == SIZE_MAX)
		return none;
	code = code_of(computed, function);
	if (!code.bytes || address - code.address >= code.size)
		return none;
	compute(computed, function, &code);
	rows = &computed->functions[function];
	if (!rows->count)
		return none;
	row = row_at(rows, &code, (uint32_t)(address - code.address));
	/* The entry point has no caller (psABI, 3.4.1). */
	if (sprof_image_entry(computed->image) == code.address)
		row = (struct sprof_cfi_row){
			.cfa = SPROF_CFA_SP, .ra = SPROF_REG_UNDEFINED, .end = row.end};
	return row;
}

bool sprof_computed_find_bounds(
	struct sprof_computed *computed, uint64_t address, struct sprof_fde_bounds *ret)
{
	struct sprof_code code;
	size_t function;

	if (!computed->has_read)
		read_starts(computed);
	function = sprof_code_starts_find(&computed->starts, address);
	if (function == SIZE_MAX)
		return false;
	code = code_of(computed, function);
	*ret = (struct sprof_fde_bounds){code.address, code.address + code.size};
	return code.bytes && address < ret->next;
}
