/*
 * Chooses and sorts rows: threads by longest delay, the sum of all threads last. Does not format
 * them.
 */
#include "events/sched/rundelay-rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/glob.h"

enum { PATTERN_SIZE = 128 };

static const struct sprof_delay_set *set_of(
	const struct sprof_rundelay_view *view, const struct sprof_delay_thread *thread)
{
	return view->total ? &thread->total : &thread->interval;
}

bool sprof_rundelay_filter_check(const char *filter, struct sprof_error *err)
{
	for (;; filter++) {
		const size_t length = strcspn(filter, ",");

		if (!length || length >= PATTERN_SIZE)
			return sprof_error_set(err, SPROF_ERROR_USAGE,
				"not a list of patterns with commas between them");
		filter += length;
		if (!*filter)
			return true;
	}
}

/* Whether one of the patterns matches. */
static bool has_shown_name(
	const struct sprof_rundelay_view *view, const struct sprof_delay_thread *thread)
{
	const char *at = view->filter;

	while (at && *at) {
		const size_t length = strcspn(at, ",");
		char pattern[PATTERN_SIZE] = "";

		memcpy(pattern, at, length);
		if (sprof_glob_matches(pattern, thread->name))
			return true;
		at += length;
		at += *at == ',';
	}
	return !view->filter;
}

static bool has_shown_id(
	const struct sprof_rundelay_view *view, const struct sprof_delay_thread *thread)
{
	for (size_t i = 0; i < view->tid_count; i++) {
		if (view->tids[i] == thread->tid)
			return true;
	}
	return !view->tid_count;
}

bool sprof_rundelay_shows(
	const struct sprof_rundelay_view *view, const struct sprof_delay_thread *thread)
{
	return has_shown_id(view, thread) && has_shown_name(view, thread);
}

/* Whether the source can report this kind: rows over all threads are shown even if empty. */
static bool is_reported(const struct sprof_rundelay_view *view, enum sprof_delay_kind kind)
{
	return (kind == SPROF_DELAY_ANY) == (view->rundelay->source == SPROF_RUNDELAY_SCHEDSTAT);
}

static bool add(struct sprof_rundelay_rows *rows, struct sprof_rundelay_row row)
{
	if (!sprof_array_reserve(
		    &rows->items, &rows->capacity, rows->count + 1, sizeof(*rows->items)))
		return false;
	rows->items[rows->count++] = row;
	return true;
}

static bool add_kinds(struct sprof_rundelay_rows *rows, const struct sprof_rundelay_view *view,
	const struct sprof_delay_thread *thread, const struct sprof_delay_set *set)
{
	for (int kind = 0; kind < SPROF_DELAY_KINDS; kind++) {
		const struct sprof_rundelay_row row = {
			thread, (enum sprof_delay_kind)kind, &set->kinds[kind]};

		if (!sprof_rundelay_row_count(&row) && (thread || !is_reported(view, row.kind)))
			continue;
		if (!add(rows, row))
			return false;
	}
	return true;
}

static uint64_t thread_total(
	const struct sprof_rundelay_view *view, const struct sprof_delay_thread *thread)
{
	uint64_t ns = 0;

	for (int kind = 0; kind < SPROF_DELAY_KINDS; kind++) {
		const struct sprof_rundelay_row row = {
			.figures = &set_of(view, thread)->kinds[kind]};

		ns += sprof_rundelay_row_total_ns(&row);
	}
	return ns;
}

/* A thread and its sort key. */
struct ranked {
	const struct sprof_delay_thread *thread;
	uint64_t ns;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->ns != right->ns)
		return left->ns > right->ns ? -1 : 1;
	return left->thread->tid < right->thread->tid ? -1 : left->thread->tid > right->thread->tid;
}

static bool add_threads(const struct sprof_rundelay_view *view, struct sprof_rundelay_rows *rows)
{
	const struct sprof_delays *delays = &view->rundelay->delays;
	struct ranked *ranked = calloc(delays->count + 1, sizeof(*ranked));
	size_t count = 0;
	bool done = ranked;

	for (size_t i = 0; done && i < delays->count; i++) {
		const struct sprof_delay_thread *thread = delays->threads[i];

		if (!sprof_rundelay_shows(view, thread))
			continue;
		rows->threads++;
		ranked[count++] = (struct ranked){thread, thread_total(view, thread)};
		done = sprof_delay_set_merge(&rows->sum, set_of(view, thread));
	}
	if (done)
		qsort(ranked, count, sizeof(*ranked), compare);
	for (size_t i = 0; done && view->per_thread && i < count; i++)
		done = add_kinds(rows, view, ranked[i].thread, set_of(view, ranked[i].thread));
	free(ranked);
	return done;
}

bool sprof_rundelay_rows_collect(
	const struct sprof_rundelay_view *view, struct sprof_rundelay_rows *ret)
{
	const struct sprof_delays *delays = &view->rundelay->delays;

	*ret = (struct sprof_rundelay_rows){0};
	if (delays->options.per_thread && !add_threads(view, ret))
		return false;
	if (!view->filter && !view->tid_count &&
		!sprof_delay_set_merge(&ret->sum, view->total ? &delays->total : &delays->interval))
		return false;
	return add_kinds(ret, view, NULL, &ret->sum);
}

void sprof_rundelay_rows_finish(struct sprof_rundelay_rows *rows)
{
	free(rows->items);
	sprof_delay_set_finish(&rows->sum);
	*rows = (struct sprof_rundelay_rows){0};
}

uint64_t sprof_rundelay_row_count(const struct sprof_rundelay_row *row)
{
	return row->figures->seen.count + row->figures->derived_count;
}

uint64_t sprof_rundelay_row_total_ns(const struct sprof_rundelay_row *row)
{
	return row->figures->seen.total + row->figures->derived_ns;
}

bool sprof_rundelay_row_is_derived(const struct sprof_rundelay_row *row)
{
	return row->figures->derived_count || row->figures->derived_ns;
}

bool sprof_rundelay_row_is_short(const struct sprof_rundelay_row *row)
{
	return row->thread && row->thread->ended && row->thread->sums.is_short;
}

static bool is_shown(const void *view, const struct sprof_delay_thread *thread)
{
	return sprof_rundelay_shows(view, thread);
}

const struct sprof_delay_thread *sprof_rundelay_waiter(
	const struct sprof_rundelay_view *view, uint64_t *ret_waited_ns)
{
	const struct sprof_delay_thread *longest =
		sprof_delays_longest_waiter(&view->rundelay->delays, is_shown, view);

	if (!longest || view->now_ns < longest->since.time_ns)
		return NULL;
	*ret_waited_ns = view->now_ns - longest->since.time_ns;
	return longest;
}

const char *sprof_rundelay_row_start(const struct sprof_rundelay_row *row)
{
	static const char *const names[SPROF_DELAY_KINDS] = {
		[SPROF_DELAY_PREEMPTED] = "preempted",
		[SPROF_DELAY_WAKEUP] = "wakeup",
		[SPROF_DELAY_ANY] = "waiting",
	};

	return names[row->kind];
}

const char *sprof_rundelay_source_name(enum sprof_rundelay_source source)
{
	switch (source) {
	case SPROF_RUNDELAY_TRACEPOINTS:
		return "sched tracepoints";
	case SPROF_RUNDELAY_SWITCHES:
		return "perf switch records + schedstat";
	case SPROF_RUNDELAY_SCHEDSTAT:
		break;
	}
	return "schedstat";
}
