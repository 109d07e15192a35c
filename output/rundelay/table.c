/*
 * The table of run-queue delays, and the lines around it. events/sched/rundelay-rows.c chooses the
 * rows.
 */
#include "output/rundelay/table.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "output/clean.h"
#include "output/table.h"
#include "output/units.h"

static const struct sprof_table_column columns[] = {
	{"thread", false, 0},
	{"comm", true, 5},
	{"delay", true, 0},
	{"calls", false, 0},
	{"total(us)", false, 0},
	{"min(us)", false, 1},
	{"p50", false, 3},
	{"p95", false, 2},
	{"p99", false, 4},
	{"max(us)", false, 0},
	{"than", false, 0},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), THREAD_COLUMNS = 2 };

static const double fractions[] = {0.5, 0.95, 0.99};
enum { FRACTIONS = sizeof(fractions) / sizeof(fractions[0]) };

/* Shorter waits are everyday's, and are in a row soon. */
static const uint64_t long_wait_ns = 100ull * SPROF_NS_PER_MS;

static void add_thread(const struct sprof_rundelay_row *row, struct sprof_table *table)
{
	if (!row->thread) {
		sprof_table_cell(table, "all");
		sprof_table_cell(table, "%s", "");
		return;
	}
	sprof_table_cell(table, "%d", (int)row->thread->tid);
	sprof_table_text(table, row->thread->name);
}

/* Columns of single delays, of which there may be none. */
static void add_singles(const struct sprof_rundelay_view *view,
	const struct sprof_rundelay_row *row, struct sprof_table *table)
{
	const struct sprof_histogram *seen = &row->figures->seen;
	const uint64_t over = row->figures->over;

	if (!seen->count || sprof_rundelay_row_is_derived(row)) {
		for (int i = 0; i < FRACTIONS + 2 + (view->than_ns ? 1 : 0); i++)
			sprof_table_cell(table, "-");
		return;
	}
	sprof_table_us(table, (double)seen->min);
	for (int i = 0; i < FRACTIONS; i++)
		sprof_table_us(table, (double)sprof_histogram_quantile(seen, fractions[i]));
	sprof_table_us(table, (double)seen->max);
	if (view->than_ns)
		sprof_table_cell(table, "%" PRIu64 " (%3.0f%%)", over,
			100.0 * (double)over / (double)seen->count);
}

static void add_row(const struct sprof_rundelay_view *view, const struct sprof_rundelay_row *row,
	struct sprof_table *table)
{
	const uint64_t total_ns = sprof_rundelay_row_total_ns(row);

	if (view->per_thread)
		add_thread(row, table);
	sprof_table_cell(table, "%s", sprof_rundelay_row_start(row));
	sprof_table_cell(table, "%" PRIu64, sprof_rundelay_row_count(row));
	if (sprof_rundelay_row_is_derived(row) || sprof_rundelay_row_is_short(row))
		sprof_table_about_us(table, (double)total_ns);
	else
		sprof_table_us(table, (double)total_ns);
	add_singles(view, row, table);
}

static bool write_rows(const struct sprof_rundelay_view *view,
	const struct sprof_rundelay_rows *rows, size_t width, struct sprof_out *out)
{
	const size_t first = view->per_thread ? 0 : THREAD_COLUMNS;
	struct sprof_table table = {.columns = columns + first,
		.column_count = COLUMNS - first - (view->than_ns ? 0 : 1)};
	bool done;

	for (size_t i = 0; i < rows->count; i++)
		add_row(view, &rows->items[i], &table);
	done = sprof_table_write(&table, width, out);
	sprof_table_finish(&table);
	return done;
}

/* "2026-11-22 12:00:01.000   source: ..." */
static void write_head(const struct sprof_rundelay_view *view, struct sprof_out *out)
{
	sprof_out_printf(out, "%s   source: %s\n", sprof_figure_moment(sprof_clock_real_ns()).text,
		sprof_rundelay_source_name(view->rundelay->source));
}

/* Prints the share of the threads' time in the rows over all threads. */
static void write_share(const struct sprof_rundelay_view *view,
	const struct sprof_rundelay_rows *rows, struct sprof_out *out)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (!rows->items[i].thread)
			ns += sprof_rundelay_row_total_ns(&rows->items[i]);
	}
	sprof_out_printf(out, "%s: waited for a CPU %s, %.1f %% of %s that threads lived\n",
		view->total ? "whole run" : "interval", sprof_figure_time(ns).text,
		rows->sum.lived_ns ? 100.0 * (double)ns / (double)rows->sum.lived_ns : 0.0,
		sprof_figure_time(rows->sum.lived_ns).text);
}

/* A thread that starves has no row, for its delay has not ended. */
static void write_waiter(const struct sprof_rundelay_view *view, struct sprof_out *out)
{
	char name[3 * SPROF_SCHED_NAME_SIZE + 4];
	const struct sprof_delay_thread *thread;
	uint64_t ns;

	thread = sprof_rundelay_waiter(view, &ns);
	if (!thread || ns < long_wait_ns)
		return;
	sprof_clean_copy(thread->name, name, sizeof(name));
	sprof_out_printf(out, "still waits for a CPU: %d %s, for %s\n", (int)thread->tid, name,
		sprof_figure_time(ns).text);
}

static void write_means(const struct sprof_rundelay_rows *rows, struct sprof_out *out)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct sprof_rundelay_row *row = &rows->items[i];
		const uint64_t count = sprof_rundelay_row_count(row);

		if (!row->thread && sprof_rundelay_row_is_derived(row) && count)
			sprof_out_printf(out,
				"~ %s: number and sum only, from schedstat; mean %s\n",
				sprof_rundelay_row_start(row),
				sprof_figure_time(sprof_rundelay_row_total_ns(row) / count).text);
	}
}

/* Writes which figures are estimates and which are missing. */
static void write_doubts(const struct sprof_rundelay *rundelay, struct sprof_out *out)
{
	const struct sprof_delays *delays = &rundelay->delays;

	if (rundelay->source == SPROF_RUNDELAY_SCHEDSTAT)
		sprof_out_puts(out, "processes that it may have started are not watched\n");
	if (delays->children.count)
		sprof_out_printf(out, "processes that it started: %zu; they are not watched\n",
			delays->children.count);
	if (delays->unread)
		sprof_out_printf(out,
			"threads that ended: %" PRIu64 "; ~ is without their last %s together\n",
			delays->unread, sprof_figure_time(delays->unread_ns).text);
	if (delays->unseen)
		sprof_out_printf(out, "wake-ups without a record: %" PRIu64 "; they are in ~\n",
			delays->unseen);
	if (delays->lost)
		sprof_out_printf(out, "lost records: %" PRIu64 "; %s\n", delays->lost,
			delays->options.has_wakeups ? "what they have taken is in ~, from schedstat"
						    : "delays meanwhile are not in the table");
}

bool sprof_rundelay_table(const struct sprof_rundelay_view *view,
	const struct sprof_rundelay_rows *rows, size_t width, struct sprof_out *out)
{
	write_head(view, out);
	if (!write_rows(view, rows, width, out))
		return false;
	write_share(view, rows, out);
	write_waiter(view, out);
	write_means(rows, out);
	if (view->total)
		write_doubts(view->rundelay, out);
	return true;
}
