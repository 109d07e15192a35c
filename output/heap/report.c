/* The text of `sprof heap --exact`: totals, stacks, unfreed memory, sizes, and anomalies. */
#include "output/heap/report.h"

#include <inttypes.h>

#include "base/numbers.h"
#include "base/strings.h"
#include "output/clean.h"
#include "output/frames.h"
#include "output/table.h"
#include "output/units.h"

static uint64_t since_begin(const struct sprof_heap_report *report, uint64_t time_ns)
{
	return sprof_minus(time_ns, report->begin_ns);
}

static void write_head(const struct sprof_heap_report *report, struct sprof_out *out)
{
	char command[120];

	sprof_clean_copy(report->profile->command ? report->profile->command : "unknown program",
		command, sizeof(command));
	sprof_out_printf(out, "heap of: %s\n", command);
	sprof_out_printf(out, "  %s, by %s at %zu %s, %" PRIu64 " calls\n\n",
		sprof_figure_time(since_begin(report, report->end_ns)).text, report->source,
		report->functions, report->places ? report->places : "functions",
		report->counts->calls);
}

static const struct sprof_table_column total_columns[] = {
	{"", true, 0},
	{"bytes", false, 0},
	{"", false, 1},
	{"objects", false, 0},
	{"", true, 2},
};

static void add_total(struct sprof_table *table, const char *name, struct sprof_heap_sum sum)
{
	sprof_table_cell(table, "%s", name);
	sprof_table_cell(table, "%" PRIu64, sum.bytes);
	sprof_table_cell(table, "%s", sprof_figure_bytes(sum.bytes).text);
	sprof_table_cell(table, "%" PRIu64, sum.objects);
}

static bool write_totals(const struct sprof_heap_report *report, struct sprof_out *out)
{
	const struct sprof_heap_books *books = report->books;
	const struct sprof_heap_sum *totals = books->totals;
	struct sprof_table table = SPROF_TABLE(total_columns);

	add_total(&table, "allocated", totals[SPROF_HEAP_ALLOCATED]);
	sprof_table_cell(&table, "%s", "");
	add_total(&table, "freed", totals[SPROF_HEAP_FREED]);
	sprof_table_cell(&table, "%s", "");
	add_total(&table, "temporary", totals[SPROF_HEAP_TEMPORARY]);
	sprof_table_cell(&table, "%.1f%% of what was allocated",
		sprof_percent(totals[SPROF_HEAP_TEMPORARY].objects,
			totals[SPROF_HEAP_ALLOCATED].objects));
	add_total(&table, "peak", books->peak);
	sprof_table_cell(
		&table, "after %s", sprof_figure_time(since_begin(report, books->peak_ns)).text);
	add_total(&table, "not freed", sprof_heap_unfreed(totals));
	sprof_table_cell(&table, "%s", "");
	if (totals[SPROF_HEAP_REPLACED].objects) {
		add_total(&table, "gone by exec", totals[SPROF_HEAP_REPLACED]);
		sprof_table_cell(&table, "%s", "");
	}
	return sprof_table_write(&table, report->width, out);
}

static void write_resizes(const struct sprof_heap_books *books, struct sprof_out *out)
{
	const struct sprof_heap_resizes *resizes = &books->resizes;

	if (!resizes->count)
		return;
	sprof_out_printf(out,
		"\nresized %" PRIu64 " times: %" PRIu64 " grew, %" PRIu64 " shrank, %" PRIu64
		" moved with %s; at most %" PRIu64 " times one object\n",
		resizes->count, resizes->grown, resizes->shrunk, resizes->moved,
		sprof_figure_bytes(resizes->moved_bytes).text, resizes->longest);
}

static void write_lifetimes(const struct sprof_heap_books *books, struct sprof_out *out)
{
	const struct sprof_histogram *lifetimes = &books->lifetimes;

	if (!lifetimes->count)
		return;
	sprof_out_printf(out, "%sfreed after %s (median), %s (95%%), %s (longest)\n",
		books->resizes.count ? "" : "\n",
		sprof_figure_time(sprof_histogram_quantile(lifetimes, 0.5)).text,
		sprof_figure_time(sprof_histogram_quantile(lifetimes, 0.95)).text,
		sprof_figure_time(lifetimes->max).text);
}

static void write_figures(
	struct sprof_heap_sum sum, struct sprof_heap_sum all, struct sprof_out *out)
{
	sprof_out_printf(out, "\n%" PRIu64 " bytes (%.1f%%) in %" PRIu64 " object%s (%.1f%%)",
		sum.bytes, sprof_percent(sum.bytes, all.bytes), sum.objects,
		sprof_string_plural(sum.objects), sprof_percent(sum.objects, all.objects));
}

/* A table of stacks: the row's figure, and the total. */
struct stacks {
	const struct sprof_heap_report *report;
	enum sprof_heap_kind kind;
	bool old; /* show `old` instead of a kind */
	struct sprof_heap_sum all;
	const struct sprof_briefs *briefs; /* NULL: whole names */
};

static struct sprof_heap_sum figure_of(
	const struct stacks *stacks, const struct sprof_heap_row *row)
{
	return stacks->old ? row->old : sprof_heap_row_figure(row, stacks->kind);
}

static bool write_stack(
	const struct stacks *stacks, const struct sprof_heap_row *row, struct sprof_out *out)
{
	write_figures(figure_of(stacks, row), stacks->all, out);
	if (stacks->old)
		sprof_out_printf(
			out, ", the oldest for %s", sprof_figure_time(row->oldest_ns).text);
	if (row->stack == SPROF_PROFILE_ROOT) {
		sprof_out_puts(out, " without a stack\n");
		return true;
	}
	sprof_out_puts(out, ":\n");
	return sprof_frames_write(stacks->report->profile, row->stack, stacks->briefs, 0, out);
}

static void write_skipped(
	const struct stacks *stacks, size_t shown, size_t count, struct sprof_out *out)
{
	struct sprof_heap_sum sum = {0};

	if (count == shown)
		return;
	for (size_t i = shown; i < count; i++) {
		const struct sprof_heap_sum more =
			figure_of(stacks, &stacks->report->rows->items[i]);

		sum.bytes += more.bytes;
		sum.objects += more.objects;
	}
	sprof_out_printf(out,
		"\nSkipping stacks numbered %zu..%zu: %" PRIu64 " bytes in %" PRIu64
		" objects; --top N shows N\n",
		shown + 1, count, sum.bytes, sum.objects);
}

/* Those without the figure are at the end. */
static bool write_stacks(struct stacks stacks, struct sprof_out *out)
{
	const struct sprof_heap_report *report = stacks.report;
	const struct sprof_heap_rows *rows = report->rows;
	struct sprof_briefs *briefs;
	size_t count = 0, shown = 0;
	bool ok = sprof_briefs_create(report->profile, report->short_names, &briefs);

	stacks.briefs = briefs;
	while (count < rows->count && figure_of(&stacks, &rows->items[count]).objects)
		count++;
	for (; ok && shown < count && (!report->top || shown < report->top); shown++)
		ok = write_stack(&stacks, &rows->items[shown], out);
	if (ok)
		write_skipped(&stacks, shown, count, out);
	sprof_briefs_destroy(briefs);
	return ok;
}

static struct sprof_heap_sum sum_of(
	const struct sprof_heap_report *report, enum sprof_heap_kind kind)
{
	struct sprof_heap_sum sum = {0};

	for (size_t i = 0; i < report->rows->count; i++) {
		const struct sprof_heap_sum more =
			sprof_heap_row_figure(&report->rows->items[i], kind);

		sum.bytes += more.bytes;
		sum.objects += more.objects;
	}
	return sum;
}

static bool write_by_kind(const struct sprof_heap_report *report, struct sprof_out *out)
{
	static const char *const titles[SPROF_HEAP_KINDS] = {
		[SPROF_HEAP_ALLOC_OBJECTS] = "which code allocates most often",
		[SPROF_HEAP_ALLOC_SPACE] = "which code allocates most",
		[SPROF_HEAP_INUSE_OBJECTS] = "most objects that are not freed",
		[SPROF_HEAP_INUSE_SPACE] = "what is not freed",
		[SPROF_HEAP_PEAK_OBJECTS] = "most objects of the peak",
		[SPROF_HEAP_PEAK_SPACE] = "what the peak consisted of",
		[SPROF_HEAP_FREED_OBJECTS] = "most objects that were freed again",
		[SPROF_HEAP_FREED_SPACE] = "what was freed again",
		[SPROF_HEAP_TEMPORARY_OBJECTS] = "most temporary objects",
		[SPROF_HEAP_TEMPORARY_SPACE] = "what was temporary",
	};
	const struct stacks stacks = {
		.report = report, .kind = report->kind, .all = sum_of(report, report->kind)};

	sprof_heap_rows_sort(report->rows, report->kind);
	sprof_out_printf(out, "\n%s:\n", titles[report->kind]);
	return write_stacks(stacks, out);
}

/* Nothing was freed since the peak, so unfreed stacks equal those at the peak, already written. */
static bool is_the_peak(const struct sprof_heap_report *report)
{
	const struct sprof_heap_rows *rows = report->rows;

	for (size_t i = 0; i < rows->count; i++) {
		const struct sprof_heap_sum peak = sprof_heap_row_figure(
						    &rows->items[i], SPROF_HEAP_PEAK_SPACE),
					    kept = sprof_heap_row_figure(
						    &rows->items[i], SPROF_HEAP_INUSE_SPACE);

		if (peak.bytes != kept.bytes || peak.objects != kept.objects)
			return false;
	}
	return report->kind == SPROF_HEAP_PEAK_SPACE && rows->count;
}

/* The list would repeat what --live shows with ages. */
static bool is_twice(const struct sprof_heap_report *report)
{
	return report->live && (!report->is_chosen || report->kind == SPROF_HEAP_INUSE_SPACE);
}

/* After the stacks of the peak; with ages if wanted. */
static bool write_unfreed(const struct sprof_heap_report *report, struct sprof_out *out)
{
	const struct stacks stacks = {
		.report = report,
		.kind = SPROF_HEAP_INUSE_SPACE,
		.old = report->live,
		.all = report->live ? report->rows->old : sprof_heap_unfreed(report->books->totals),
	};

	if (!report->live && report->kind == SPROF_HEAP_INUSE_SPACE)
		return true;
	if (report->live)
		sprof_heap_rows_sort_old(report->rows);
	else
		sprof_heap_rows_sort(report->rows, stacks.kind);
	sprof_out_printf(out, "\n%" PRIu64 " bytes in %" PRIu64 " objects were not freed",
		stacks.all.bytes, stacks.all.objects);
	if (!report->live && is_the_peak(report)) {
		sprof_out_puts(out, ": all that the peak consisted of\n");
		return true;
	}
	if (report->live && report->older_ns)
		sprof_out_printf(out, " for at least %s", sprof_figure_time(report->older_ns).text);
	sprof_out_puts(out, stacks.all.objects ? ":\n" : "\n");
	return write_stacks(stacks, out);
}

static const struct sprof_table_column size_columns[] = {
	{"from", false, 0},
	{"objects", false, 0},
	{"", false, 1},
	{"bytes", false, 0},
	{"", false, 1},
};

static bool write_sizes(const struct sprof_heap_report *report, struct sprof_out *out)
{
	const struct sprof_heap_sum all = report->books->totals[SPROF_HEAP_ALLOCATED];
	struct sprof_table table = SPROF_TABLE(size_columns);

	sprof_out_puts(out, "\nsizes, each up to the next one:\n");
	for (size_t i = 0; i < SPROF_HEAP_SIZES; i++) {
		const struct sprof_heap_sum sum = report->books->sizes[i];

		if (!sum.objects)
			continue;
		sprof_table_cell(
			&table, "%s", sprof_figure_bytes(i ? UINT64_C(1) << (i - 1) : 0).text);
		sprof_table_cell(&table, "%" PRIu64, sum.objects);
		sprof_table_cell(&table, "%.1f%%", sprof_percent(sum.objects, all.objects));
		sprof_table_cell(&table, "%" PRIu64, sum.bytes);
		sprof_table_cell(&table, "%.1f%%", sprof_percent(sum.bytes, all.bytes));
	}
	return sprof_table_write(&table, report->width, out);
}

static void write_odd(const struct sprof_heap_report *report, struct sprof_out *out)
{
	const struct sprof_allocations_counts *counts = report->counts;
	const struct {
		uint64_t count;
		const char *words;
	} odd[] = {
		{counts->failed, "calls got no memory"},
		{counts->unknown_frees + counts->unknown_resizes,
			"frees of memory that was allocated before or unseen, such as libc's own cache"},
		{counts->inherited_frees, "frees by children of what their parents have allocated"},
		{report->books->replaced,
			"addresses were given again without a free that was seen"},
		{counts->unpaired_returns, "calls whose begin was not seen"},
		{counts->left, "calls did not return"},
		{counts->unread, "addresses could not be read (posix_memalign)"},
		{report->lost, "events were lost by the kernel: figures are too low"},
	};
	bool first = true;

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		if (!odd[i].count)
			continue;
		sprof_out_printf(
			out, "%s  %" PRIu64 " %s\n", first ? "\n" : "", odd[i].count, odd[i].words);
		first = false;
	}
}

bool sprof_heap_report_text(const struct sprof_heap_report *report, struct sprof_out *out)
{
	write_head(report, out);
	if (!write_totals(report, out))
		return false;
	write_resizes(report->books, out);
	write_lifetimes(report->books, out);
	if ((!is_twice(report) && !write_by_kind(report, out)) || !write_unfreed(report, out) ||
		(report->sizes && !write_sizes(report, out)))
		return false;
	write_odd(report, out);
	return true;
}
