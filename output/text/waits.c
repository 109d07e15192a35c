/*
 * What the threads waited for, and which threads held them up. Times are blocked time; shares are
 * of all blocked time. Rows with little time that differ only in their objects are merged.
 */
#include "output/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/fit.h"
#include "output/units.h"
#include "output/wait-words.h"
#include "profile/views/waits.h"

static const char *function_name(const struct sprof_text *text, uint32_t function)
{
	return function == SPROF_PROFILE_NONE ? "[unknown]"
					      : text->profile->functions[function].name;
}

/* Returns the number of characters. */
static size_t write_figures(const struct sprof_text *text, const struct sprof_waits_table *table,
	const struct sprof_waits_row *wait, bool is_head)
{
	struct sprof_row row = {.out = text->out, .is_head = is_head};

	sprof_row_time(&row, "time", 8, wait->ns);
	sprof_row_percent(&row, "share%", 6, sprof_percent(wait->ns, table->blocked_ns));
	if (wait->threads)
		sprof_row_count(&row, "thr", 3, wait->threads);
	else
		sprof_row_text(&row, "thr", 3, "-");
	sprof_row_count(&row, "samples", 7, wait->samples);
	/* The number of waits and the longest; some are known by ticks only. */
	if (table->is_exact && wait->waits) {
		sprof_row_count(&row, "waits", 7, wait->waits);
		sprof_row_time(&row, "longest", 8, wait->longest_ns);
	} else if (table->is_exact) {
		sprof_row_text(&row, "waits", 7, "-");
		sprof_row_text(&row, "longest", 8, "-");
	}
	sprof_row_text(&row, "kind", 5, sprof_wait_kind_name(wait->kind));
	sprof_row_gap(&row, 2, "what for, where");
	return row.length;
}

static void write_row(const struct sprof_text *text, const struct sprof_waits_table *table,
	const struct sprof_waits_row *row)
{
	const size_t indent = write_figures(text, table, row, false);
	SPROF_AUTO_FREE char *line = sprof_wait_words(text->profile, row,
		text->options.width > indent ? text->options.width - indent : 0);
	SPROF_AUTO_FREE char *holder = row->holder ? sprof_wait_words_holder(row) : NULL;

	sprof_text_end_with_name(text, indent, line);
	if (!row->holder)
		return;
	sprof_out_fill(text->out, ' ', indent + 2);
	sprof_text_end_with_name(text, indent + 2, holder);
}

/* Hidden rows that differ only in their objects, such as the connections of a server. */
struct group {
	struct sprof_waits_row sum;
	size_t count;
};

static int compare_kinds(const void *left, const void *right)
{
	const struct group *a = left, *b = right;
	uintptr_t one = (uintptr_t)a->sum.syscall, other = (uintptr_t)b->sum.syscall;

	if (a->sum.function != b->sum.function)
		return a->sum.function < b->sum.function ? -1 : 1;
	return (one > other) - (one < other);
}

static int compare_times(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	if (a->sum.ns != b->sum.ns)
		return a->sum.ns < b->sum.ns ? 1 : -1;
	return (a->sum.function > b->sum.function) - (a->sum.function < b->sum.function);
}

/* Joins similar neighbours; returns the new number of groups. */
static size_t join(struct group *groups, size_t count)
{
	size_t joined = 0;

	qsort(groups, count, sizeof(*groups), compare_kinds);
	for (size_t i = 1; i < count; i++) {
		struct group *last = &groups[joined];

		if (compare_kinds(last, &groups[i])) {
			groups[++joined] = groups[i];
			continue;
		}
		last->sum.ns += groups[i].sum.ns;
		last->sum.samples += groups[i].sum.samples;
		last->sum.waits += groups[i].sum.waits;
		if (last->sum.longest_ns < groups[i].sum.longest_ns)
			last->sum.longest_ns = groups[i].sum.longest_ns;
		last->sum.threads = 0; /* some may be the same */
		last->count++;
	}
	return count ? joined + 1 : 0;
}

static void write_group(const struct sprof_text *text, const struct sprof_waits_table *table,
	const struct group *group)
{
	const struct sprof_waits_row *sum = &group->sum;
	SPROF_AUTO_FREE char *line = sprof_string_print("%s of %zu more objects in %s",
		sum->syscall, group->count, function_name(text, sum->function));

	sprof_text_end_with_name(text, write_figures(text, table, sum, false), line);
}

/* Shows the groups that are not small; returns the number of their rows. */
static size_t write_groups(const struct sprof_text *text, const struct sprof_waits_table *table,
	struct group *groups, size_t count)
{
	size_t shown = 0, in_them = 0;

	count = join(groups, count);
	qsort(groups, count, sizeof(*groups), compare_times);
	for (size_t i = 0; i < count; i++) {
		double percent = sprof_percent(groups[i].sum.ns, table->blocked_ns);

		if (groups[i].count < 2 || !groups[i].sum.syscall ||
			sprof_text_is_small(text, percent) ||
			(text->options.top && shown == text->options.top))
			continue;
		write_group(text, table, &groups[i]);
		in_them += groups[i].count;
		shown++;
	}
	return in_them;
}

static void write_rows(const struct sprof_text *text, const struct sprof_waits_table *table)
{
	const struct sprof_quality *quality = &text->profile->quality;
	SPROF_AUTO_FREE struct group *left = calloc(table->count + 1, sizeof(*left));
	size_t shown = 0, left_count = 0;
	bool is_full = false, lacks_lengths = false;

	if (!left) {
		sprof_out_fail(text->out, ENOMEM);
		return;
	}
	for (size_t i = 0; i < table->count; i++) {
		const struct sprof_waits_row *row = &table->rows[i];
		bool is_small =
			sprof_text_is_small(text, sprof_percent(row->ns, table->blocked_ns));

		if (is_small || (text->options.top && shown == text->options.top)) {
			is_full |= !is_small;
			left[left_count++] = (struct group){.sum = *row, .count = 1};
			continue;
		}
		write_row(text, table, row);
		lacks_lengths |= table->is_exact && !row->waits;
		shown++;
	}
	left_count -= write_groups(text, table, left, left_count);
	sprof_text_left_out(text, "wait", is_full ? 0 : left_count, is_full ? left_count : 0);
	if (lacks_lengths)
		sprof_out_printf(text->out, "-: seen by ticks only%s\n",
			quality->exact_waits && quality->exact_unplaced == quality->exact_waits
				? ": the kernel shows this user no stacks of switches"
				: ", as are waits of Go, and of Python without --python=none");
}

static char *describe_edge(const struct sprof_text *text, const struct sprof_waits_table *table,
	const struct sprof_waits_edge *edge)
{
	const struct sprof_waits_row *row = &table->rows[edge->row];
	SPROF_AUTO_FREE char *object = sprof_wait_words_object(text->profile, row);
	/* On a limited line, the object gets the rest. */
	SPROF_AUTO_FREE char *function = sprof_fit_function(function_name(text, row->function),
		false, text->options.width ? text->options.width / 3 : 0);

	if (!object || !function)
		return NULL;
	return sprof_string_print("%s <- %s <- %s, %s", function, object[0] ? object : "lock",
		edge->holder_function ? edge->holder_function : "[unknown]", edge->holder);
}

static size_t write_edge_figures(const struct sprof_text *text, const struct sprof_waits_edge *edge,
	double percent, bool is_head)
{
	struct sprof_row row = {.out = text->out, .is_head = is_head};

	sprof_row_time(&row, "time", 8, edge->ns);
	sprof_row_percent(&row, "share%", 6, percent);
	sprof_row_count(&row, "samples", 7, edge->samples);
	sprof_row_gap(&row, 2, "waiter <- lock <- holder");
	return row.length;
}

static void write_edges(const struct sprof_text *text, const struct sprof_waits_table *table)
{
	struct sprof_text_rows rows = {0};

	sprof_out_puts(text->out, "\nwaiters and holders\n");
	write_edge_figures(text, &(struct sprof_waits_edge){0}, 0, true);
	for (size_t i = 0; i < table->edge_count; i++) {
		const struct sprof_waits_edge *edge = &table->edges[i];
		double percent = sprof_percent(edge->ns, table->blocked_ns);
		SPROF_AUTO_FREE char *line = describe_edge(text, table, edge);

		if (sprof_text_takes(text, &rows, percent))
			sprof_text_end_with_name(
				text, write_edge_figures(text, edge, percent, false), line);
	}
	sprof_text_left_out(text, "pair", rows.small, rows.beyond);
}

/* Another tool's profile may know only that threads were blocked. */
static bool is_known(const struct sprof_waits_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].syscall || table->rows[i].object)
			return true;
	}
	return false;
}

bool sprof_text_waits(const struct sprof_text *text, uint32_t thread, struct sprof_error *err)
{
	const struct sprof_view view = {
		.weight = SPROF_WEIGHT_WAIT, .thread = thread, .joins_alike = true};
	struct sprof_waits_table table;

	if (!sprof_profile_counts_time(text->profile))
		return true;
	if (!sprof_waits_table_build(text->profile, &view, &table, err))
		return false;
	if (is_known(&table) || text->options.waits_only) {
		sprof_out_printf(text->out, "\nwaits: blocked for %s of %s; shares are of %s%s\n",
			sprof_figure_time(table.blocked_ns).text,
			sprof_figure_time(table.wall_ns).text,
			sprof_figure_time(table.blocked_ns).text,
			sprof_text_with_idle(text, &view));
		write_figures(text, &table, &(struct sprof_waits_row){0}, true);
		write_rows(text, &table);
	}
	if (table.edge_count)
		write_edges(text, &table);
	sprof_waits_table_finish(&table);
	return true;
}
