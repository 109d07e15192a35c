/*
 * The summary's tables: functions, paths, waits. A row has a share, a term, and a text shortened to
 * the line.
 */
#include "output/summary/summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/clean.h"
#include "output/fit.h"
#include "output/wait-words.h"
#include "profile/answer/program-functions.h"

enum {
	LEAST_SAMPLES = 2, /* of a function: one sample is chance */
	PATHS = 20,        /* the most that can each have least_path: 100 % / least_path */
	SHARE = 7 + 2,     /* "100.0 %  " */
	ROW = SHARE + 8,   /* and "syscall " */
};

/* Percent of the busy time: the least for following a path, and for showing a row of a table. */
static const double least_path = 5, least_row = 0.5;

/* least percentage of a function's time for which the function that it called is named */
static const double most_of_it = 50;

static const char held_by[] = ", held by ";

static void put_row(struct sprof_summary *summary, const char *label, uint64_t ns, const char *word,
	const char *text)
{
	sprof_summary_put_label(summary, label);
	sprof_out_printf(summary->out, "%5.1f %%  %-7s %s", sprof_percent(ns, summary->whole), word,
		text ? text : "");
	if (!text)
		sprof_out_fail(summary->out, ENOMEM);
	sprof_summary_end_line(summary);
}

/* "count, in std::sort<...>": the function, and the library's function that it was mostly in. */
static char *function_text(const struct sprof_summary *summary, const struct sprof_own_row *row)
{
	static const char beside[] = ", in ";
	const struct sprof_profile_function *functions = summary->profile->functions;
	const size_t left = sprof_summary_room(summary) - ROW;
	const bool has_inner =
		sprof_percent(row->inner_ns, sprof_times_wall(&row->self.times)) > most_of_it;
	SPROF_AUTO_FREE char *name = sprof_fit_function(functions[row->function].name, false,
		has_inner ? 2 * left / 3 - strlen(beside) : left);
	SPROF_AUTO_FREE char *inner = NULL;
	size_t length = name ? sprof_fit_length(name) + strlen(beside) : 0;

	if (!name || !has_inner)
		return name ? strdup(name) : NULL;
	inner = sprof_fit_function(functions[row->inner].name, true, left - length);
	return inner ? sprof_string_print("%s%s%s", name, beside, inner) : NULL;
}

static bool is_small(const struct sprof_summary *summary, uint64_t ns)
{
	return sprof_percent(ns, summary->whole) < least_row;
}

bool sprof_summary_put_functions(
	struct sprof_summary *summary, size_t rows, struct sprof_error *err)
{
	const struct sprof_profile *profile = summary->profile;
	struct sprof_own own;
	size_t shown = 0;

	if (!sprof_own_build(profile, &summary->view, &own, err))
		return false;
	for (size_t i = 0; i < own.count && shown < rows; i++) {
		const struct sprof_own_row *row = &own.rows[i];
		enum sprof_verdict verdict;
		SPROF_AUTO_FREE char *name = NULL;

		if (is_small(summary, sprof_times_wall(&row->self.times)) ||
			row->self.samples < LEAST_SAMPLES)
			continue;
		name = function_text(summary, row);
		verdict = sprof_verdict_of(&row->self.times, &row->waiting);
		if (verdict == SPROF_VERDICT_STARVED)
			sprof_summary_use(summary, SPROF_SUMMARY_STARVED);
		if (verdict == SPROF_VERDICT_NONE)
			sprof_summary_use(summary, SPROF_SUMMARY_MIXED);
		put_row(summary, shown++ ? "" : "functions", sprof_times_wall(&row->self.times),
			sprof_verdict_name(verdict), name);
	}
	sprof_own_finish(&own);
	return true;
}

/*
 * The time of the path that ends here. If the path continues, this is the function's own time; else
 * all time of the function and below. 0: too little to show.
 */
static uint64_t time_at_end(const struct sprof_graph *graph, size_t node)
{
	const struct sprof_graph_node *nodes = graph->nodes;
	const bool goes_on = node + 1 < nodes[node].end &&
		sprof_percent(nodes[node + 1].total, nodes[0].total) >= least_path;
	const uint64_t ns = goes_on ? nodes[node].self : nodes[node].total;

	return sprof_percent(ns, nodes[0].total) < least_path ? 0 : ns;
}

struct path {
	uint64_t ns;
	char *text;
};

/* Merges paths that look equal because they were shortened. Returns false if out of memory. */
static bool add_path(struct path *paths, size_t *count, char *text, uint64_t ns)
{
	size_t i = 0;

	if (!text)
		return false;
	while (i < *count && strcmp(paths[i].text, text) != 0)
		i++;
	if (i < *count) {
		paths[i].ns += ns;
		free(text);
		return true;
	}
	paths[(*count)++] = (struct path){.ns = ns, .text = text};
	return true;
}

static int compare_paths(const void *left, const void *right)
{
	const struct path *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return strcmp(a->text, b->text);
}

static bool find_paths(const struct sprof_summary *summary, const struct sprof_graph *graph,
	struct path *paths, size_t *ret_count)
{
	for (size_t i = 1; i < graph->count && *ret_count < PATHS; i++) {
		const uint64_t ns = time_at_end(graph, i);

		if (ns &&
			!add_path(paths, ret_count,
				sprof_summary_path(summary->profile, graph, i,
					sprof_summary_room(summary) - SHARE),
				ns))
			return false;
	}
	qsort(paths, *ret_count, sizeof(*paths), compare_paths);
	return true;
}

static void put_path(struct sprof_summary *summary, const struct path *path, const char *label)
{
	sprof_summary_put_label(summary, label);
	sprof_out_printf(
		summary->out, "%5.1f %%  %s", sprof_percent(path->ns, summary->whole), path->text);
	sprof_summary_end_line(summary);
}

/* The paths from a root that have their own time, each up to where it splits into small ones. */
bool sprof_summary_put_paths(struct sprof_summary *summary, size_t rows, struct sprof_error *err)
{
	struct sprof_view view = summary->view;
	struct path paths[PATHS];
	struct sprof_graph graph;
	size_t count = 0;
	bool ok;

	view.min_percent = least_path;
	view.folds_recursion = true;
	view.own_code = sprof_profile_counts_time(summary->profile);
	if (!sprof_graph_build(summary->profile, &view, SPROF_GRAPH_CALLER, &graph, err))
		return false;
	ok = find_paths(summary, &graph, paths, &count) || sprof_error_no_memory(err);
	for (size_t i = 0; ok && i < count && i < rows; i++)
		put_path(summary, &paths[i], i ? "" : "paths");
	for (size_t i = 0; i < count; i++)
		free(paths[i].text);
	sprof_graph_finish(&graph);
	return ok;
}

/* "mutex cache_lock in load, held by writer (12)". Does not say that a lock is a futex. */
static char *wait_text(
	const struct sprof_summary *summary, const struct sprof_waits_row *row, size_t left)
{
	struct sprof_waits_row bare = *row;
	SPROF_AUTO_FREE char *whole = row->kind == SPROF_WAIT_KIND_LOCK && row->object
		? sprof_wait_words_lock(row->object)
		: NULL;
	/* Without the id, which the report has. */
	SPROF_AUTO_FREE char *name = row->holder && !row->is_join
		? strndup(row->holder, strcspn(row->holder, "(") - 1)
		: NULL;
	SPROF_AUTO_FREE char *holder = name ? sprof_clean_text(name, NULL) : NULL;
	SPROF_AUTO_FREE char *fitted = holder ? sprof_fit(holder, left / 4) : NULL, *words = NULL;
	size_t length = fitted ? sprof_fit_length(fitted) + strlen(held_by) : 0;

	if (row->holder && !row->is_join && !fitted)
		return NULL;
	if (whole)
		bare.object = whole;
	if (row->kind == SPROF_WAIT_KIND_LOCK && row->object)
		bare.syscall = NULL;
	words = sprof_wait_words(summary->profile, &bare, left - length);
	return words
		? sprof_string_print("%s%s%s", words, fitted ? held_by : "", fitted ? fitted : "")
		: NULL;
}

static void put_wait(
	struct sprof_summary *summary, const struct sprof_waits_row *row, const char *label)
{
	size_t left = sprof_summary_room(summary) - ROW;
	SPROF_AUTO_FREE char *text = wait_text(summary, row, left);
	SPROF_AUTO_FREE char *fitted = text ? sprof_fit(text, left) : NULL;

	put_row(summary, label, row->ns, sprof_wait_kind_name(row->kind), fitted);
}

bool sprof_summary_put_waits(struct sprof_summary *summary, size_t rows, struct sprof_error *err)
{
	struct sprof_waits_table table;
	size_t shown = 0;

	if (!sprof_waits_table_build(summary->profile, &summary->view, &table, err))
		return false;
	for (size_t i = 0; i < table.count && shown < rows; i++) {
		if (is_small(summary, table.rows[i].ns) ||
			(!table.rows[i].syscall && !table.rows[i].object))
			continue;
		put_wait(summary, &table.rows[i], shown ? "" : "waits");
		shown++;
	}
	sprof_waits_table_finish(&table);
	return true;
}
