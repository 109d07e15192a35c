/*
 * A clock for each thread shows when the thread comes to a point in the changed run. Sleeps are
 * taken in the order in which they ended, so that the clock of a waker is known when it is needed.
 */
#include "profile/critical/replay.h"

#include <stdlib.h>

#include "base/numbers.h"

struct cursor {
	size_t part;       /* the thread's present part */
	uint64_t at_ns;    /* original time */
	uint64_t clock_ns; /* the same in the changed run */
};

struct run {
	const struct sprof_critical_graph *graph;
	const struct sprof_critical_change *change;
	struct cursor *cursors;
};

/* In a changed run no thread waits for a CPU: these waits were other threads' running. */
static uint64_t kept(const struct run *run, const struct sprof_critical_part *part,
	uint64_t from_ns, uint64_t to_ns)
{
	if (!run->change)
		return to_ns - from_ns;
	if (part->kind == SPROF_CRITICAL_QUEUE)
		return 0;
	return run->change->kept(run->change->data, part, from_ns, to_ns);
}

/* Adds the time of the present part up to a moment, and of the whole part if it ends by then. */
static void pass(const struct run *run, struct cursor *cursor, uint64_t until_ns)
{
	const struct sprof_critical_part *part = &run->graph->parts[cursor->part];
	const uint64_t from_ns = sprof_most(cursor->at_ns, part->begin_ns);
	const uint64_t to_ns = sprof_most(from_ns, sprof_least(part->end_ns, until_ns));

	cursor->clock_ns += kept(run, part, from_ns, to_ns);
	cursor->at_ns = to_ns;
	if (part->end_ns <= until_ns)
		cursor->part++;
}

/* The thread comes to the begin of its part. All sleeps before it have had their turn. */
static void come_to_part(const struct run *run, uint32_t thread, size_t part)
{
	struct cursor *cursor = &run->cursors[thread];

	while (cursor->part < part)
		pass(run, cursor, UINT64_MAX);
}

/*
 * The thread comes to a moment; returns its clock. Where it sleeps until later, because records are
 * missing, the time up to the moment is kept.
 */
static uint64_t come_to(const struct run *run, uint32_t thread, uint64_t time_ns)
{
	struct cursor *cursor = &run->cursors[thread];
	const size_t end = run->graph->first[thread + 1];

	while (cursor->part < end) {
		const struct sprof_critical_part *part = &run->graph->parts[cursor->part];

		if (part->begin_ns > time_ns || sprof_critical_has_waker(part))
			break;
		pass(run, cursor, time_ns);
		if (part->end_ns > time_ns)
			break;
	}
	return cursor->clock_ns + sprof_minus(time_ns, cursor->at_ns);
}

static void end_sleep(const struct run *run, uint32_t index, struct sprof_critical_replay *ret)
{
	const struct sprof_critical_part *part = &run->graph->parts[index];
	struct cursor *cursor = &run->cursors[part->thread];
	uint64_t waker_ns;

	come_to_part(run, part->thread, index);
	waker_ns = come_to(run, part->by, part->end_ns);
	ret->is_bound[index] = waker_ns >= cursor->clock_ns;
	cursor->clock_ns = sprof_most(cursor->clock_ns, waker_ns);
	cursor->at_ns = part->end_ns;
	cursor->part = index + 1;
}

/* A thread that is born later begins with its creator. */
static void begin(const struct run *run)
{
	const struct sprof_critical_graph *graph = run->graph;

	for (size_t i = 0; i < graph->thread_count; i++) {
		const size_t first = graph->first[i];
		const bool is_born = first < graph->first[i + 1] && graph->parts[first].is_birth;

		run->cursors[i] = (struct cursor){
			.part = first,
			.at_ns = graph->begin_ns,
			.clock_ns = is_born ? 0 : graph->begin_ns,
		};
	}
}

bool sprof_critical_replay_run(const struct sprof_critical_graph *graph,
	const struct sprof_critical_end *end, const struct sprof_critical_change *change,
	struct sprof_critical_replay *ret)
{
	struct run run = {graph, change, calloc(graph->thread_count + 1, sizeof(*run.cursors))};

	*ret = (struct sprof_critical_replay){
		.is_bound = calloc(graph->count + 1, sizeof(*ret->is_bound))};
	if (!run.cursors || !ret->is_bound) {
		free(run.cursors);
		return false;
	}
	begin(&run);
	for (size_t i = 0; i < graph->woken_count; i++) {
		if (graph->parts[graph->woken[i]].end_ns <= end->time_ns)
			end_sleep(&run, graph->woken[i], ret);
	}
	ret->length_ns = sprof_minus(come_to(&run, end->thread, end->time_ns), graph->begin_ns);
	free(run.cursors);
	return true;
}

void sprof_critical_replay_finish(struct sprof_critical_replay *replay)
{
	free(replay->is_bound);
	*replay = (struct sprof_critical_replay){0};
}

/* Where a walk is: at a time in a part. */
struct place {
	uint32_t part;
	uint64_t time_ns;
	const struct sprof_critical_part *woke;
};

/* The thread's part before; NONE: this is its first one. */
static uint32_t before(const struct sprof_critical_graph *graph, uint32_t part)
{
	return part > graph->first[graph->parts[part].thread] ? part - 1 : SPROF_CRITICAL_NONE;
}

/* A sleep that its waker ended has no time on the path: the path goes on in the waker. */
static bool leave_sleep(const struct sprof_critical_graph *graph,
	const struct sprof_critical_replay *replay, struct place *place)
{
	const struct sprof_critical_part *part = &graph->parts[place->part];

	if (!sprof_critical_has_waker(part) || place->time_ns < part->end_ns)
		return false;
	if (replay->is_bound[place->part]) {
		place->part = sprof_critical_part_at(graph, part->by, part->end_ns);
		place->woke = part;
		return true;
	}
	place->part = before(graph, place->part);
	place->time_ns = part->begin_ns;
	place->woke = NULL;
	return true;
}

/* Whether it may have woken another thread then: it ran, or has just stopped to run. */
static bool may_wake(const struct sprof_critical_part *part, uint64_t time_ns)
{
	return time_ns <= part->end_ns &&
		(part->kind == SPROF_CRITICAL_RUN || time_ns == part->begin_ns ||
			time_ns == part->end_ns);
}

void sprof_critical_walk(const struct sprof_critical_graph *graph,
	const struct sprof_critical_end *end, const struct sprof_critical_replay *replay,
	void (*visit)(void *data, const struct sprof_critical_piece *piece), void *data)
{
	struct place place = {
		sprof_critical_part_at(graph, end->thread, end->time_ns), end->time_ns, NULL};

	/* Wakings of one moment could lead back and forth. */
	for (size_t steps = 0; place.part != SPROF_CRITICAL_NONE && steps <= 2 * graph->count;
		steps++) {
		const struct sprof_critical_part *part = &graph->parts[place.part];

		if (leave_sleep(graph, replay, &place))
			continue;
		visit(data,
			&(struct sprof_critical_piece){
				.part = part,
				.from_ns = sprof_least(part->begin_ns, place.time_ns),
				.to_ns = place.time_ns,
				.woke = place.woke,
				.is_broken = place.woke && !may_wake(part, place.time_ns),
			});
		place = (struct place){before(graph, place.part), part->begin_ns, NULL};
	}
}
