/*
 * How many of the rows that are computed from code are those of a file's own unwind tables: code-rows FILE...
 * Each function that an FDE describes from its entry on is computed without the table, and each of its instructions
 * compared. With --verbose each first difference of a function is told.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "elfsym/cfi.h"
#include "elfsym/code-flow.h"
#include "elfsym/fdes.h"
#include "elfsym/frame-distance.h"

enum { WORD = 8, LONGEST = 15 };

struct counts {
	uint64_t functions, parts, pcs, equal, unknown, different, part_pcs;
	uint64_t ns, rows;
	bool is_verbose;
	struct sprof_code_returns *returns;
};

/* A row computed from code may tell the CFA by the other register: then its distance to the saved word tells. */
static bool is_equal(const struct sprof_cfi_row *cfi, const struct sprof_cfi_row *computed)
{
	if (cfi->ra == SPROF_REG_UNDEFINED || computed->ra == SPROF_REG_UNDEFINED)
		return cfi->ra == computed->ra;
	if (cfi->cfa == computed->cfa)
		return cfi->cfa_offset == computed->cfa_offset && cfi->cfa_add == computed->cfa_add;
	return computed->fp == SPROF_REG_SAVED && cfi->fp == SPROF_REG_SAVED &&
		cfi->fp_offset == computed->fp_offset;
}

static const char *name_of(enum sprof_cfa_rule cfa)
{
	static const char *const names[] = {[SPROF_CFA_NONE] = "none", [SPROF_CFA_SP] = "sp",
		[SPROF_CFA_FP] = "fp", [SPROF_CFA_SP_DEREF] = "*sp", [SPROF_CFA_FP_DEREF] = "*fp",
		[SPROF_CFA_OTHER] = "other"};

	return cfa <= SPROF_CFA_OTHER && names[cfa] ? names[cfa] : "?";
}

static void tell(const char *what, uint64_t address, const struct sprof_cfi_row *cfi,
	const struct sprof_cfi_row *computed)
{
	printf("%s %" PRIx64 ": table %s%+d fp %d@%d, code %s%+d fp %d@%d\n", what, address,
		name_of(cfi->cfa), cfi->cfa_offset, cfi->fp, cfi->fp_offset, name_of(computed->cfa),
		computed->cfa_offset, computed->fp, computed->fp_offset);
}

static void compare_at(struct counts *counts, const struct sprof_cfi_row *cfi,
	const struct sprof_cfi_row *computed, uint64_t address, uint64_t *told)
{
	counts->pcs++;
	if (computed->cfa == SPROF_CFA_NONE && computed->ra != SPROF_REG_UNDEFINED)
		counts->unknown++;
	else if (is_equal(cfi, computed))
		counts->equal++;
	else
		counts->different++;
	if (counts->is_verbose && !(*told & 1) && computed->cfa == SPROF_CFA_NONE) {
		tell("unknown", address, cfi, computed);
		*told |= 1;
	}
	if (counts->is_verbose && !(*told & 2) && computed->cfa != SPROF_CFA_NONE &&
		!is_equal(cfi, computed)) {
		tell("different", address, cfi, computed);
		*told |= 2;
	}
}

static void compare_function(struct counts *counts, struct sprof_cfi *cfi,
	const struct sprof_code *code, const struct sprof_code_rows *rows)
{
	size_t row = 0, length;
	uint64_t told = 0;

	for (uint32_t at = 0; at < code->size; at += (uint32_t)length) {
		struct sprof_cfi_row truth = sprof_cfi_find(cfi, code->address + at);

		length = sprof_instruction_size_x86_64(code->bytes + at, code->size - at);
		if (!length)
			return;
		while (row + 1 < rows->count && rows->items[row + 1].offset <= at)
			row++;
		/* Padding runs never. */
		if (code->bytes[at] == 0x90 || (code->bytes[at] == 0x0f && code->bytes[at + 1] == 0x1f) ||
			(code->bytes[at] == 0x66 && (length > 4 || code->bytes[at + 1] == 0x90)))
			continue;
		compare_at(counts, &truth, &rows->items[row].row, code->address + at, &told);
	}
}

static void compare_fde(struct counts *counts, struct sprof_code_flow *flow, struct sprof_cfi *cfi,
	const struct sprof_image *image, const struct sprof_fde *fde)
{
	struct sprof_cfi_row entry = sprof_cfi_find(cfi, fde->address);
	struct sprof_code code = {.image = image,
		.returns = counts->returns,
		.address = fde->address,
		.size = (uint32_t)fde->size};
	struct sprof_code_rows rows = {0};
	uint64_t begin;

	code.bytes = fde->size <= SPROF_CODE_LONGEST ? sprof_image_at(image, code.address, code.size) : NULL;
	if (!code.bytes)
		return;
	if (entry.cfa != SPROF_CFA_SP || entry.cfa_offset != WORD || entry.ra == SPROF_REG_UNDEFINED) {
		counts->parts++;
		counts->part_pcs += fde->size;
		return;
	}
	begin = sprof_clock_now_ns();
	sprof_code_flow_run(flow, &code, &rows);
	counts->ns += sprof_clock_now_ns() - begin;
	counts->functions++;
	counts->rows += rows.count;
	if (rows.count)
		compare_function(counts, cfi, &code, &rows);
	sprof_code_rows_finish(&rows);
}

static bool compare_file(const char *path, bool is_verbose)
{
	struct counts counts = {.is_verbose = is_verbose};
	struct sprof_code_flow *flow = sprof_code_flow_create();
	struct sprof_image *image;
	struct sprof_fdes fdes = {0};
	struct sprof_code_starts starts = {0};
	struct sprof_error err;
	struct sprof_cfi *cfi;

	if (!sprof_image_open_path(path, &image, &err) || !sprof_fdes_load(&fdes, image, &err))
		return false;
	if (!sprof_code_starts_load(&starts, image, &err))
		return false;
	counts.returns = sprof_code_returns_create(image, &starts);
	cfi = sprof_cfi_create(image);
	for (size_t i = 0; i < fdes.count; i++)
		compare_fde(&counts, flow, cfi, image, &fdes.items[i]);
	printf("%s: %" PRIu64 " functions (%" PRIu64 " parts elsewhere), %" PRIu64
	       " instructions: equal %.3f %%, unknown %.3f %%, different %.4f %%; %.1f us a function, %" PRIu64 " rows\n",
		path, counts.functions, counts.parts, counts.pcs,
		100.0 * (double)counts.equal / (double)counts.pcs,
		100.0 * (double)counts.unknown / (double)counts.pcs,
		100.0 * (double)counts.different / (double)counts.pcs,
		(double)counts.ns / 1e3 / (double)counts.functions, counts.rows);
	sprof_code_returns_destroy(counts.returns);
	sprof_code_starts_finish(&starts);
	sprof_cfi_destroy(cfi);
	sprof_fdes_finish(&fdes);
	sprof_image_close(image);
	sprof_code_flow_destroy(flow);
	return true;
}

int main(int argc, char *argv[])
{
	bool is_verbose = argc > 1 && !strcmp(argv[1], "--verbose");
	bool done = true;

	for (int i = 1 + is_verbose; i < argc; i++)
		done &= compare_file(argv[i], is_verbose);
	return !done;
}
