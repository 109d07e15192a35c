/*
 * How many of the rows that are computed from code are those of a file's own unwind tables:
 *   code-rows [--verbose] FILE...
 * Each function that an FDE describes from its entry on is computed without the table, and each of its instructions
 * compared.
 *   code-rows [--verbose] --stripped TRUTH FILE
 * FILE is TRUTH without .eh_frame: where functions begin must be found too, and parts of functions are compared as well.
 * With --verbose the first differences of a function are told.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "elfsym/cfi/cfi.h"
#include "elfsym/cfi/fdes.h"
#include "elfsym/code/frame-distance.h"
#include "unwind/code/computed.h"
#include "unwind/code/flow.h"

enum { WORD = 8, LONGEST = 15, PLT_ENTRY = 16 };

/* What a computed row is next to the table's. */
enum verdict {
	EQUAL,
	UNKNOWN,   /* the code didn't tell */
	DIFFERENT, /* the harmful kind */
	/* the table's CFA is an expression, or told by a register that can't be compared */
	OTHER,
	VERDICTS,
};

struct counts {
	uint64_t functions, parts, pcs, verdicts[VERDICTS], different_fp, ns, rows;
	uint64_t starts_ns;
};

struct comparison {
	const char *path;
	struct sprof_image *image, *stripped; /* the latter: NULL without --stripped */
	struct sprof_fdes fdes;
	struct sprof_cfi *cfi;
	struct sprof_cfi_row truth; /* the last one */
	uint64_t truth_start;
	struct sprof_code_flow *flow;
	struct sprof_code_starts starts;
	struct sprof_code_returns *returns;
	struct sprof_computed *computed;
	bool is_verbose;
	struct counts counts;
};

/* The rows of one function, however they are computed. */
struct function {
	struct sprof_code code;
	struct sprof_code_rows rows;
	size_t row;
	uint64_t verdicts[VERDICTS];
	bool told[VERDICTS];
};

/* A row computed from code may tell the CFA by the other register: then its distance to the saved word tells. */
static bool is_equal(const struct sprof_cfi_row *cfi, const struct sprof_cfi_row *computed)
{
	if (cfi->cfa == SPROF_CFA_SIGNAL || computed->cfa == SPROF_CFA_SIGNAL)
		return cfi->cfa == computed->cfa;
	if (cfi->ra == SPROF_REG_UNDEFINED || computed->ra == SPROF_REG_UNDEFINED)
		return cfi->ra == computed->ra;
	if (cfi->cfa == computed->cfa)
		return cfi->cfa_offset == computed->cfa_offset && cfi->cfa_add == computed->cfa_add;
	return computed->fp == SPROF_REG_SAVED && cfi->fp == SPROF_REG_SAVED &&
		cfi->fp_offset == computed->fp_offset;
}

/* The CFA is told by a word that lies at a distance from a register. */
static bool is_word(const struct sprof_cfi_row *row)
{
	return row->cfa == SPROF_CFA_SP_DEREF || row->cfa == SPROF_CFA_FP_DEREF;
}

static enum verdict judge(const struct sprof_cfi_row *cfi, const struct sprof_cfi_row *computed)
{
	if (cfi->ra != SPROF_REG_UNDEFINED &&
		(cfi->cfa == SPROF_CFA_OTHER || cfi->cfa == SPROF_CFA_NONE))
		return OTHER;
	if (computed->cfa == SPROF_CFA_NONE)
		return UNKNOWN;
	/* How far sp is from fp isn't known where it was aligned. */
	if (is_word(cfi) && is_word(computed) && cfi->cfa != computed->cfa)
		return OTHER;
	return is_equal(cfi, computed) ? EQUAL : DIFFERENT;
}

/* A frame pointer that is not changed may also be told by the word it was saved in. */
static bool has_wrong_fp(const struct sprof_cfi_row *cfi, const struct sprof_cfi_row *computed)
{
	return computed->fp == SPROF_REG_SAVED && computed->cfa != SPROF_CFA_SIGNAL &&
		(cfi->fp == SPROF_REG_SAME ||
			(cfi->fp == SPROF_REG_SAVED && cfi->fp_offset != computed->fp_offset));
}

static const char *name_of(enum sprof_cfa_rule cfa)
{
	static const char *const names[] = {[SPROF_CFA_NONE] = "none",
		[SPROF_CFA_SP] = "sp",
		[SPROF_CFA_FP] = "fp",
		[SPROF_CFA_SP_DEREF] = "*sp",
		[SPROF_CFA_FP_DEREF] = "*fp",
		[SPROF_CFA_SIGNAL] = "signal",
		[SPROF_CFA_OTHER] = "other"};

	return cfa <= SPROF_CFA_OTHER && names[cfa] ? names[cfa] : "?";
}

static void tell(const char *what, uint64_t address, const struct sprof_cfi_row *cfi,
	const struct sprof_cfi_row *computed)
{
	printf("%s %" PRIx64 ": table %s%+d ra %d fp %d@%d, code %s%+d ra %d fp %d@%d\n", what,
		address, name_of(cfi->cfa), cfi->cfa_offset, cfi->ra, cfi->fp, cfi->fp_offset,
		name_of(computed->cfa), computed->cfa_offset, computed->ra, computed->fp,
		computed->fp_offset);
}

/* The table's row; that of a PLT as what it is at this address. */
static struct sprof_cfi_row truth_at(struct comparison *all, uint64_t address)
{
	struct sprof_cfi_row row;

	if (address < all->truth_start || address >= all->truth.end) {
		all->truth = sprof_cfi_find(all->cfi, address);
		all->truth_start = address;
	}
	row = all->truth;
	if (row.cfa == SPROF_CFA_PLT) {
		row.cfa = SPROF_CFA_SP;
		row.cfa_offset = address % PLT_ENTRY >= row.plt_push_end ? 2 * WORD : WORD;
	}
	return row;
}

static struct sprof_cfi_row computed_at(
	struct comparison *all, struct function *function, uint32_t at)
{
	struct sprof_code_rows *rows = &function->rows;

	if (all->stripped)
		return sprof_computed_find(all->computed, function->code.address + at);
	while (function->row + 1 < rows->count && rows->items[function->row + 1].offset <= at)
		function->row++;
	return rows->count ? rows->items[function->row].row : (struct sprof_cfi_row){0};
}

static void compare_at(struct comparison *all, struct function *function, uint32_t at)
{
	static const char *const names[] = {"equal", "unknown", "different", "other"};
	uint64_t address = function->code.address + at;
	struct sprof_cfi_row truth = truth_at(all, address);
	struct sprof_cfi_row computed = computed_at(all, function, at);
	enum verdict verdict = judge(&truth, &computed);

	all->counts.pcs++;
	all->counts.verdicts[verdict]++;
	function->verdicts[verdict]++;
	if (verdict == EQUAL && has_wrong_fp(&truth, &computed)) {
		all->counts.different_fp++;
		if (all->is_verbose)
			tell("fp", address, &truth, &computed);
	}
	if (all->is_verbose && verdict != EQUAL && !function->told[verdict])
		tell(names[verdict], address, &truth, &computed);
	function->told[verdict] = true;
}

/* Padding runs never. */
static bool is_padding(const uint8_t *code, size_t length)
{
	return code[0] == 0x90 || code[0] == 0xcc ||
		(length > 1 && code[0] == 0x0f && code[1] == 0x1f) ||
		(length > 1 && code[0] == 0x66 && (length > 4 || code[1] == 0x90));
}

static void compare_function(struct comparison *all, struct function *function)
{
	const struct sprof_code *code = &function->code;
	size_t length;

	for (uint32_t at = 0; at < code->size; at += (uint32_t)length) {
		length = sprof_instruction_size_x86_64(code->bytes + at, code->size - at);
		if (!length)
			break;
		if (!is_padding(code->bytes + at, length))
			compare_at(all, function, at);
	}
	if (all->is_verbose && (function->told[UNKNOWN] || function->told[DIFFERENT]))
		printf("function %" PRIx64 "+%" PRIx32 ": unknown %" PRIu64 ", different %" PRIu64
		       "\n",
			code->address, code->size, function->verdicts[UNKNOWN],
			function->verdicts[DIFFERENT]);
}

/* GCC has a part that is a handler of exceptions begin with a nop, for which the table says nothing. */
static bool begins_elsewhere(struct comparison *all, const struct sprof_fde *fde)
{
	const uint8_t *code = sprof_image_at(all->image, fde->address, 1);
	struct sprof_cfi_row entry = truth_at(all, fde->address + (code && code[0] == 0x90));

	return entry.cfa != SPROF_CFA_SP || entry.cfa_offset != WORD ||
		entry.ra == SPROF_REG_UNDEFINED;
}

static void compare_fde(struct comparison *all, const struct sprof_fde *fde)
{
	bool is_part = begins_elsewhere(all, fde);
	struct function function = {.code = {.image = all->image,
					    .returns = all->returns,
					    .starts = &all->starts,
					    .is_whole = true,
					    .address = fde->address,
					    .size = (uint32_t)fde->size}};
	uint64_t begin;

	if (!all->stripped && fde->size > SPROF_CODE_LONGEST)
		return;
	function.code.bytes = sprof_image_at(all->image, fde->address, fde->size);
	all->counts.parts += is_part;
	if (!function.code.bytes || (is_part && !all->stripped))
		return;
	begin = sprof_clock_now_ns();
	if (!all->stripped && !sprof_code_flow_run(all->flow, &function.code, &function.rows))
		return;
	all->counts.ns += sprof_clock_now_ns() - begin;
	all->counts.functions++;
	all->counts.rows += function.rows.count;
	compare_function(all, &function);
	sprof_code_rows_finish(&function.rows);
}

static double percent(const struct comparison *all, uint64_t count)
{
	return all->counts.pcs ? 100.0 * (double)count / (double)all->counts.pcs : 0;
}

static void report(const struct comparison *all)
{
	const struct counts *counts = &all->counts;

	printf("%s: %" PRIu64 " functions (%" PRIu64 " parts elsewhere), %" PRIu64
	       " instructions: equal %.3f %%, unknown %.3f %%, different %.4f %%, "
	       "by other registers %.3f %%, different frame pointer %.4f %%; ",
		all->path, counts->functions, counts->parts, counts->pcs,
		percent(all, counts->verdicts[EQUAL]), percent(all, counts->verdicts[UNKNOWN]),
		percent(all, counts->verdicts[DIFFERENT]), percent(all, counts->verdicts[OTHER]),
		percent(all, counts->different_fp));
	if (all->stripped)
		printf("%.3f s\n", (double)counts->ns / 1e9);
	else
		printf("%.1f us a function, %" PRIu64 " rows, %zu starts in %.3f s\n",
			(double)counts->ns / 1e3 / (double)(counts->functions + !counts->functions),
			counts->rows, all->starts.functions.count, (double)counts->starts_ns / 1e9);
}

static bool prepare(struct comparison *all, const char *path, const char *stripped)
{
	struct sprof_error err;
	uint64_t begin;

	all->path = path;
	if (!sprof_image_open_path(path, &all->image, &err) ||
		!sprof_fdes_load(&all->fdes, all->image, &err))
		return false;
	all->cfi = sprof_cfi_create(all->image);
	if (stripped) {
		if (!sprof_image_open_path(stripped, &all->stripped, &err))
			return false;
		all->computed = sprof_computed_create(all->stripped);
		return all->cfi && all->computed;
	}
	begin = sprof_clock_now_ns();
	if (!sprof_code_starts_load(&all->starts, all->image, true, &err))
		return false;
	all->counts.starts_ns = sprof_clock_now_ns() - begin;
	all->returns = sprof_code_returns_create(all->image, &all->starts);
	all->flow = sprof_code_flow_create();
	return all->cfi && all->returns && all->flow;
}

static bool compare_file(const char *path, const char *stripped, bool is_verbose)
{
	struct comparison all = {.is_verbose = is_verbose};
	bool done = prepare(&all, path, stripped);
	uint64_t begin = sprof_clock_now_ns();

	for (size_t i = 0; done && i < all.fdes.count; i++)
		compare_fde(&all, &all.fdes.items[i]);
	if (stripped)
		all.counts.ns = sprof_clock_now_ns() - begin;
	if (done)
		report(&all);
	else
		fprintf(stderr, "%s: can't be read\n", path);
	sprof_computed_destroy(all.computed);
	sprof_image_close(all.stripped);
	sprof_code_returns_destroy(all.returns);
	sprof_code_starts_finish(&all.starts);
	sprof_code_flow_destroy(all.flow);
	sprof_cfi_destroy(all.cfi);
	sprof_fdes_finish(&all.fdes);
	sprof_image_close(all.image);
	return done;
}

int main(int argc, char *argv[])
{
	bool is_verbose = argc > 1 && !strcmp(argv[1], "--verbose");
	int first = 1 + is_verbose;
	bool done = true;

	if (argc == first + 3 && !strcmp(argv[first], "--stripped"))
		return !compare_file(argv[first + 1], argv[first + 2], is_verbose);
	for (int i = first; i < argc; i++)
		done &= compare_file(argv[i], NULL, is_verbose);
	return !done;
}
