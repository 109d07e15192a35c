/*
 * The table of `sprof calls`: a line per function, and one per caller. rows.c determines the
 * order.
 */
#include <inttypes.h>
#include <string.h>

#include "output/calls/report.h"
#include "output/table.h"
#include "output/units.h"

static const struct sprof_table_column columns[] = {
	{"thread", false, 0}, {"comm", true, 0}, {"function", true, 0}, {"calls", false, 0},
	{"total(us)", false, 0}, {"self(us)", false, 0}, {"min(us)", false, 4},
	{"avg(us)", false, 6}, {"p50", false, 3}, {"p95", false, 5}, {"p99", false, 2},
	{"max(us)", false, 7}, {"rec", false, 1}, {"threads", false, 8}, /* last: may be left out */
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), THREAD_COLUMNS = 2, NAMED_MAX = 8 };

/* Estimates and counts don't know them, and rows of keys or threads have none. */
static bool has_threads(const struct sprof_calls_report *report)
{
	return !report->by_thread && !report->keys && !report->windows && !report->has_four;
}

static bool is_edge(const struct sprof_activation_row *row)
{
	return row->caller != SPROF_ACTIVATION_ANY;
}

static void add_thread(const struct sprof_calls_report *report,
	const struct sprof_activation_row *row, struct sprof_table *table)
{
	const struct sprof_profile_thread *thread = sprof_calls_thread(report, row->thread);
	const char *name;

	if (!is_edge(row) && report->keys && row->thread < report->key_count) {
		name = sprof_calls_key_thread(report, report->keys[row->thread]);
		sprof_table_cell(table, "%" PRId64, report->keys[row->thread]);
		sprof_table_text(table, name ? name : "-");
		return;
	}
	if (is_edge(row) || !thread) {
		sprof_table_cell(table, "%s", is_edge(row) ? "" : "-");
		sprof_table_cell(table, "%s", is_edge(row) ? "" : "-");
		return;
	}
	sprof_table_cell(table, "%d", (int)thread->tid);
	sprof_table_text(table, thread->name);
}

static bool has_time(const struct sprof_activation_row *row)
{
	return row->whole.count || row->ends[SPROF_ACTIVATION_CUT] ||
		row->ends[SPROF_ACTIVATION_OPEN] || row->ends[SPROF_ACTIVATION_EDGE];
}

static void add_time(const struct sprof_activation_row *row, enum sprof_calls_column column,
	bool is_known, struct sprof_table *table)
{
	if (is_known)
		sprof_table_us(table, sprof_calls_figure(row, column));
	else
		sprof_table_cell(table, "-");
}

static void add_row(const struct sprof_calls_report *report, const struct sprof_activation_row *row,
	struct sprof_table *table)
{
	if (report->by_thread)
		add_thread(report, row, table);
	if (is_edge(row))
		sprof_table_cell(table, "  <- %s", sprof_calls_name(report, row->caller));
	else
		sprof_table_text(table, sprof_calls_name(report, row->function));
	sprof_table_cell(table, "%" PRIu64, sprof_activation_row_calls(row));
	add_time(row, SPROF_CALLS_TOTAL, has_time(row), table);
	add_time(row, SPROF_CALLS_SELF, has_time(row), table);
	for (int column = SPROF_CALLS_MIN; column <= SPROF_CALLS_MAX; column++)
		add_time(row, (enum sprof_calls_column)column, row->whole.count, table);
	if (is_edge(row))
		sprof_table_cell(table, "%s", row->nested ? "nested" : "");
	else if (row->deepest > 1)
		sprof_table_cell(table, "%u", row->deepest);
	else
		sprof_table_cell(table, "-");
	if (has_threads(report))
		sprof_table_cell(table, "%u", row->threads);
}

static void write_head(const struct sprof_calls_report *report, struct sprof_out *out)
{
	const struct sprof_activation_books *books = report->books;
	uint64_t calls = 0;

	for (size_t i = 0; i < books->row_count; i++) {
		if (!is_edge(&books->rows[i]))
			calls += sprof_activation_row_calls(&books->rows[i]);
	}
	sprof_out_printf(out, "source: %s", report->source);
	if (report->cost)
		sprof_out_printf(out, ", which take %s", report->cost);
	sprof_out_printf(out, "; over %s; %" PRIu64 " calls of %zu watched %s\n",
		sprof_figure_time(report->end_ns - report->begin_ns).text, calls,
		report->name_count, report->name_count == 1 ? "function" : "functions");
	if (report->windows)
		sprof_calls_windows_write(report->windows, out);
}

/* Notes on what the figures omit, indexed by the enum. */
static const char *const end_notes[SPROF_ACTIVATION_ENDS] = {
	[SPROF_ACTIVATION_CUT] =
		"under way, as far as was seen, when their thread ended or ran another program; "
		"that time is in total and self",
	[SPROF_ACTIVATION_OPEN] = "under way at the end; that time is in total and self",
	[SPROF_ACTIVATION_EDGE] =
		"under way when a window ended; the time up to there is in total and self",
	[SPROF_ACTIVATION_LEFT] =
		"left by a jump or an exception; when is not known, so their time is their caller's",
	[SPROF_ACTIVATION_LOST] = "with lost records while they ran; they have no time",
	[SPROF_ACTIVATION_COUNTED] = "counted only; without --count, they have times",
};

/* "calls f 3, g 1: ..."; of many functions the sum of most. */
static void write_note(const struct sprof_calls_report *report, enum sprof_activation_end end,
	struct sprof_out *out)
{
	const struct sprof_activation_books *books = report->books;
	uint64_t others = 0;
	size_t named = 0;

	for (size_t i = 0; i < books->row_count; i++) {
		const struct sprof_activation_row *row = &books->rows[i];

		if (is_edge(row) || !row->ends[end])
			continue;
		if (named == NAMED_MAX) {
			others += row->ends[end];
			continue;
		}
		sprof_out_printf(out, "%s%s %" PRIu64, named++ ? ", " : "calls ",
			sprof_calls_name(report, row->function), row->ends[end]);
	}
	if (others)
		sprof_out_printf(out, ", others %" PRIu64, others);
	if (named)
		sprof_out_printf(out, ": %s\n", end_notes[end]);
}

static void write_refusals(const struct sprof_calls_report *report, struct sprof_out *out)
{
	for (size_t i = 0; i < report->name_count; i++) {
		if (report->refusals && report->refusals[i])
			sprof_out_printf(out, "%s could not be watched: %s\n", report->names[i],
				report->refusals[i]);
	}
}

static void write_losses(const struct sprof_calls_report *report, struct sprof_out *out)
{
	uint64_t unpaired = 0;

	for (size_t i = 0; i < report->books->row_count; i++)
		unpaired += report->books->rows[i].unpaired;
	if (unpaired)
		sprof_out_printf(out,
			"returns of calls that were not seen to begin, so not in the table: %" PRIu64
			"\n",
			unpaired);
	if (report->lost)
		sprof_out_printf(out, "the kernel has lost %" PRIu64 " records\n", report->lost);
	if (report->unwatched)
		sprof_out_printf(out, "%u events of threads could not be opened: %s\n",
			report->unwatched,
			report->has_four
				? "a thread has four debug registers, so counts of some "
				  "functions are too low; without --count there is no limit"
				: "theirs are missing");
	if (report->gone)
		sprof_out_printf(out,
			"%" PRIu64
			" times a breakpoint was out of the code for a moment, because no "
			"place was found for the instruction that it hides (a filter of system "
			"calls?): other threads may have missed it\n",
			report->gone);
	write_refusals(report, out);
}

bool sprof_calls_table(const struct sprof_calls_report *report, struct sprof_out *out)
{
	const size_t first = report->by_thread ? 0 : THREAD_COLUMNS;
	struct sprof_table_column shown[COLUMNS];
	struct sprof_table table = {
		.columns = shown + first, .column_count = COLUMNS - first - !has_threads(report)};
	struct sprof_calls_rows rows;
	bool done = sprof_calls_rows_init(report, &rows);

	memcpy(shown, columns, sizeof(shown));
	if (report->key_name)
		shown[0].title = report->key_name;
	for (size_t i = 0; done && i < rows.count; i++)
		add_row(report, rows.items[i], &table);
	write_head(report, out);
	done = done && sprof_table_write(&table, report->width, out);
	if (rows.hidden)
		sprof_out_printf(out, "%zu more; --top N shows that many\n", rows.hidden);
	for (int end = SPROF_ACTIVATION_CUT; end < SPROF_ACTIVATION_ENDS; end++)
		write_note(report, (enum sprof_activation_end)end, out);
	write_losses(report, out);
	sprof_table_finish(&table);
	sprof_calls_rows_finish(&rows);
	return done;
}
