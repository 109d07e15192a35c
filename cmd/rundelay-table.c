/*
 * The table of run-queue delays. rundelay-rows.c chooses the rows.
 *
 * The wide form has microseconds with decimals, for programs and wide terminals. The narrow form
 * has three digits and a unit. If even that is too wide, columns are dropped.
 */
#include "cmd/rundelay-table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "base/clock.h"
#include "output/clean.h"

enum column {
	COLUMN_THREAD,
	COLUMN_NAME,
	COLUMN_DELAY,
	COLUMN_CALLS,
	COLUMN_TOTAL,
	COLUMN_MIN,
	COLUMN_P50,
	COLUMN_P95,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMN_THAN,
	COLUMNS,
};

/* The quantile of a column. */
static const double fractions[COLUMNS] = {
	[COLUMN_P50] = 0.5, [COLUMN_P95] = 0.95, [COLUMN_P99] = 0.99};

static const struct {
	const char *wide, *narrow;
} heads[COLUMNS] = {
	[COLUMN_THREAD] = {"THREAD", "THREAD"},
	[COLUMN_NAME] = {"comm", "comm"},
	[COLUMN_DELAY] = {"start => end", "delay"},
	[COLUMN_CALLS] = {"calls", "calls"},
	[COLUMN_TOTAL] = {"total(us)", "total"},
	[COLUMN_MIN] = {"min(us)", "min"},
	[COLUMN_P50] = {"p50(us)", "p50"},
	[COLUMN_P95] = {"p95(us)", "p95"},
	[COLUMN_P99] = {"p99(us)", "p99"},
	[COLUMN_MAX] = {"max(us)", "max"},
	[COLUMN_THAN] = {"than(reqs)", "than(reqs)"},
};

/* Columns that a narrow table leaves out, one after the other, until it fits. */
static const enum column left_out[] = {COLUMN_MIN, COLUMN_P95, COLUMN_P50, COLUMN_P99, COLUMN_NAME};

enum { CELL_SIZE = 64, LEFT_OUT = sizeof(left_out) / sizeof(left_out[0]) };

/* Shorter waits are everyday's, and are in a row soon. */
static const uint64_t long_wait_ns = 100ull * SPROF_NS_PER_MS;

struct table {
	const struct sprof_rundelay_view *view;
	const struct sprof_rundelay_rows *rows;
	bool narrow;
	bool has[COLUMNS];
	size_t widths[COLUMNS];
};

/* "4.00ms", "11.6us", "923us": three digits. */
static void write_short_time(uint64_t ns, char *ret, size_t size)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	double value = (double)ns;
	size_t unit = 0;

	while (value >= 999.5 && unit < 3) {
		value /= 1000;
		unit++;
	}
	snprintf(ret, size, "%.*f%s",
		!unit || value >= 99.95  ? 0
			: value >= 9.995 ? 1
					 : 2,
		value, units[unit]);
}

static void write_time(const struct table *table, uint64_t ns, char *ret, size_t size)
{
	if (table->narrow)
		write_short_time(ns, ret, size);
	else
		snprintf(ret, size, "%" PRIu64 ".%03u", ns / SPROF_NS_PER_US,
			(unsigned)(ns % SPROF_NS_PER_US));
}

static uint64_t single_ns(const struct sprof_rundelay_row *row, enum column column)
{
	const struct sprof_histogram *seen = &row->figures->seen;

	if (column == COLUMN_MIN)
		return seen->min;
	if (column == COLUMN_MAX)
		return seen->max;
	return sprof_histogram_quantile(seen, fractions[column]);
}

/* A column of single delays, of which there may be none. */
static void write_single(const struct table *table, const struct sprof_rundelay_row *row,
	enum column column, char *ret)
{
	const struct sprof_delay_counts *figures = row->figures;

	if (!figures->seen.count || sprof_rundelay_row_is_derived(row))
		strcpy(ret, "-");
	else if (column == COLUMN_THAN)
		snprintf(ret, CELL_SIZE, "%" PRIu64 " (%3.0f%%)", figures->over,
			100.0 * (double)figures->over / (double)figures->seen.count);
	else
		write_time(table, single_ns(row, column), ret, CELL_SIZE);
}

static void write_cell(const struct table *table, const struct sprof_rundelay_row *row,
	enum column column, char *ret)
{
	const bool derived = sprof_rundelay_row_is_derived(row);

	ret[0] = '\0';
	if (column == COLUMN_THREAD && row->thread)
		snprintf(ret, CELL_SIZE, "%d", (int)row->thread->tid);
	else if (column == COLUMN_THREAD)
		strcpy(ret, "all");
	else if (column == COLUMN_NAME && row->thread)
		sprof_clean_copy(row->thread->name, ret, CELL_SIZE);
	else if (column == COLUMN_DELAY)
		snprintf(ret, CELL_SIZE, "%s%s", sprof_rundelay_row_start(row),
			table->narrow ? "" : " => running");
	else if (column == COLUMN_CALLS)
		snprintf(ret, CELL_SIZE, "%" PRIu64, sprof_rundelay_row_count(row));
	else if (column == COLUMN_TOTAL) {
		ret[0] = '~';
		write_time(table, sprof_rundelay_row_total_ns(row), ret + derived,
			CELL_SIZE - derived);
	} else if (column > COLUMN_TOTAL)
		write_single(table, row, column, ret);
}

static const char *head_of(const struct table *table, enum column column)
{
	return table->narrow ? heads[column].narrow : heads[column].wide;
}

/* Returns the width of the whole table. */
static size_t measure(struct table *table)
{
	size_t width = 0;
	char cell[CELL_SIZE];

	for (enum column column = 0; column < COLUMNS; column++) {
		size_t widest = strlen(head_of(table, column));

		if (!table->has[column])
			continue;
		for (size_t i = 0; i < table->rows->count; i++) {
			write_cell(table, &table->rows->items[i], column, cell);
			widest = strlen(cell) > widest ? strlen(cell) : widest;
		}
		table->widths[column] = widest;
		width += widest + (width ? 1 : 0);
	}
	return width;
}

static void fit(struct table *table, size_t width)
{
	const struct sprof_rundelay_view *view = table->view;

	for (enum column column = 0; column < COLUMNS; column++)
		table->has[column] = true;
	table->has[COLUMN_THREAD] = table->has[COLUMN_NAME] = view->per_thread;
	table->has[COLUMN_THAN] = view->than_ns;
	if (!width)
		measure(table);
	if (!width || measure(table) <= width)
		return;
	table->narrow = true;
	for (size_t i = 0; measure(table) > width && i < LEFT_OUT; i++)
		table->has[left_out[i]] = false;
}

static void print_cell(const struct table *table, enum column column, const char *text, bool *first)
{
	const int width = (int)table->widths[column];

	if (!table->has[column])
		return;
	printf(*first ? "" : " ");
	*first = false;
	if (column == COLUMN_NAME)
		printf("%-*s", width, text);
	else
		printf("%*s", width, text);
}

static void print_row(const struct table *table, const struct sprof_rundelay_row *row)
{
	char cell[CELL_SIZE];
	bool first = true;

	for (enum column column = 0; column < COLUMNS; column++) {
		if (row)
			write_cell(table, row, column, cell);
		print_cell(table, column, row ? cell : head_of(table, column), &first);
	}
	printf("\n");
}

static void print_rule(const struct table *table)
{
	static const char dashes[CELL_SIZE] =
		"---------------------------------------------------------------";
	char cell[CELL_SIZE];
	bool first = true;

	for (enum column column = 0; column < COLUMNS; column++) {
		snprintf(cell, sizeof(cell), "%.*s", (int)table->widths[column], dashes);
		print_cell(table, column, cell, &first);
	}
	printf("\n");
}

/* "2026-11-22 12:00:01.000   source: ..." */
static void print_head(const struct sprof_rundelay_view *view)
{
	struct timeval now;
	struct tm parts;
	char text[64];

	gettimeofday(&now, NULL);
	if (!localtime_r(&now.tv_sec, &parts) ||
		!strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts))
		text[0] = '\0';
	printf("%s.%03u   source: %s\n", text, (unsigned)(now.tv_usec / 1000),
		sprof_rundelay_source_name(view->rundelay->source));
}

/* Prints the share of the threads' time in the rows over all threads. */
static void print_share(const struct table *table)
{
	const struct sprof_rundelay_rows *rows = table->rows;
	char waited[CELL_SIZE], lived[CELL_SIZE];
	uint64_t ns = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (!rows->items[i].thread)
			ns += sprof_rundelay_row_total_ns(&rows->items[i]);
	}
	write_short_time(ns, waited, sizeof(waited));
	write_short_time(rows->sum.lived_ns, lived, sizeof(lived));
	printf("%s: waited for a CPU %s, %.1f %% of %s that threads lived\n",
		table->view->total ? "whole run" : "interval", waited,
		rows->sum.lived_ns ? 100.0 * (double)ns / (double)rows->sum.lived_ns : 0.0, lived);
}

/* A thread that starves has no row, for its delay has not ended. */
static void print_waiter(const struct sprof_rundelay_view *view)
{
	char waited[CELL_SIZE], name[CELL_SIZE];
	const struct sprof_delay_thread *thread;
	uint64_t ns;

	thread = sprof_rundelay_waiter(view, &ns);
	if (!thread || ns < long_wait_ns)
		return;
	write_short_time(ns, waited, sizeof(waited));
	sprof_clean_copy(thread->name, name, sizeof(name));
	printf("still waits for a CPU: %d %s, for %s\n", (int)thread->tid, name, waited);
}

/* Prints notes about inexact figures. */
static void print_doubts(const struct table *table)
{
	const struct sprof_delays *delays = &table->view->rundelay->delays;
	char mean[CELL_SIZE];

	for (size_t i = 0; i < table->rows->count; i++) {
		const struct sprof_rundelay_row *row = &table->rows->items[i];
		const uint64_t count = sprof_rundelay_row_count(row);

		if (row->thread || !sprof_rundelay_row_is_derived(row) || !count)
			continue;
		write_short_time(sprof_rundelay_row_total_ns(row) / count, mean, sizeof(mean));
		printf("~ %s: number and sum only, from schedstat; mean %s\n",
			sprof_rundelay_row_start(row), mean);
	}
	if (!table->view->total)
		return;
	if (delays->unread)
		printf("threads that ended: %" PRIu64
		       "; the last 20 ms or so of each are not in ~\n",
			delays->unread);
	if (delays->unseen)
		printf("wake-ups that no record told of: %" PRIu64 "; they are not in the table\n",
			delays->unseen);
	if (delays->lost)
		printf("lost records: %" PRIu64 "; delays that were dropped for them: %" PRIu64
		       "\n",
			delays->lost, delays->dropped);
}

void sprof_rundelay_print_table(const struct sprof_rundelay_view *view,
	const struct sprof_rundelay_rows *rows, size_t width)
{
	struct table table = {.view = view, .rows = rows};

	fit(&table, width);
	print_head(view);
	print_row(&table, NULL);
	print_rule(&table);
	for (size_t i = 0; i < rows->count; i++)
		print_row(&table, &rows->items[i]);
	print_share(&table);
	print_waiter(view);
	print_doubts(&table);
}
