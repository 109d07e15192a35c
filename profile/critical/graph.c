/*
 * Turns moments into parts, thread by thread. A waking that comes while its thread is about to
 * leave its CPU belongs to the sleep that follows, if no other one ends it: the kernel puts the
 * thread to sleep a little before its switch is recorded.
 */
#include "profile/critical/graph.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/numbers.h"
#include "base/search.h"

/* How long before its switch a thread may be woken from the sleep that follows. */
enum { EARLY_NS = 50 * 1000 };

enum state {
	NEW,     /* it is born later */
	INITIAL, /* it is older than the recording, and has no moment yet */
	RUN,
	QUEUE,
	SLEEP,
	LOST,
	ENDED,
};

struct waking {
	uint64_t time_ns; /* 0: none */
	uint32_t by;
	uint8_t waker;
};

struct thread {
	enum state state;
	uint64_t since_ns;
	uint64_t seen_ns;    /* of its last moment, or of its last waking of another thread */
	struct waking early; /* came while it ran */
	uint32_t creator;    /* NEW */
};

struct builder {
	struct sprof_critical_graph *graph;
	struct thread *threads;
	struct sprof_critical_part *parts; /* in order of their ends */
	size_t count, capacity;
	bool out_of_memory;
};

static void add(struct builder *builder, const struct sprof_critical_part *part)
{
	if (!SPROF_ARRAY_APPEND(builder->parts, builder->count, builder->capacity, *part))
		builder->out_of_memory = true;
}

/* The thread's present state ends; nothing is known of what ended it. */
static void close_part(
	struct builder *builder, uint32_t id, enum sprof_critical_kind kind, uint64_t end_ns)
{
	struct thread *thread = &builder->threads[id];

	add(builder,
		&(struct sprof_critical_part){
			.begin_ns = thread->since_ns,
			.end_ns = sprof_most(end_ns, thread->since_ns),
			.thread = id,
			.by = SPROF_CRITICAL_NONE,
			.kind = (uint8_t)kind,
		});
	thread->since_ns = sprof_most(end_ns, thread->since_ns);
}

static void close_sleep(struct builder *builder, uint32_t id, const struct waking *waking)
{
	struct thread *thread = &builder->threads[id];
	const uint64_t end_ns = sprof_most(waking->time_ns, thread->since_ns);

	add(builder,
		&(struct sprof_critical_part){
			.begin_ns = thread->since_ns,
			.end_ns = end_ns,
			.thread = id,
			.by = waking->by,
			.kind = SPROF_CRITICAL_SLEEP,
			.waker = waking->waker,
		});
	thread->since_ns = end_ns;
	thread->early = (struct waking){0};
}

/*
 * Another thread has created it: from then on it wants to run. If its birth has no moment, its
 * creator has left its CPU since.
 */
static void begin_life(struct builder *builder, uint32_t id, uint64_t time_ns)
{
	struct thread *thread = &builder->threads[id];
	const struct thread *creator = &builder->threads[thread->creator];

	if (creator->state == SLEEP || creator->state == QUEUE)
		time_ns = sprof_least(time_ns, creator->since_ns);
	thread->since_ns = time_ns;
	add(builder,
		&(struct sprof_critical_part){
			.begin_ns = time_ns,
			.end_ns = time_ns,
			.thread = id,
			.by = thread->creator,
			.kind = SPROF_CRITICAL_SLEEP,
			.waker = SPROF_WAKER_THREAD,
			.is_birth = true,
		});
	thread->state = QUEUE;
}

static void take_on(struct builder *builder, uint32_t id, uint64_t time_ns)
{
	struct thread *thread = &builder->threads[id];

	if (thread->state == QUEUE) {
		close_part(builder, id, SPROF_CRITICAL_QUEUE, time_ns);
	} else if (thread->state == SLEEP && thread->early.time_ns) {
		close_sleep(builder, id, &thread->early);
		close_part(builder, id, SPROF_CRITICAL_QUEUE, time_ns);
	} else if (thread->state == SLEEP) {
		close_sleep(builder, id, &(struct waking){time_ns, SPROF_CRITICAL_NONE, 0});
	} else {
		close_part(builder, id, SPROF_CRITICAL_LOST, time_ns);
	}
	thread->early = (struct waking){0};
	thread->state = RUN;
}

/* A thread without a moment since the begin of the recording has run since then. */
static void take_off(struct builder *builder, uint32_t id, const struct sprof_moment *moment)
{
	struct thread *thread = &builder->threads[id];
	const bool has_run = thread->state == RUN || thread->state == INITIAL;

	close_part(
		builder, id, has_run ? SPROF_CRITICAL_RUN : SPROF_CRITICAL_LOST, moment->time_ns);
	thread->state = moment->kind == SPROF_MOMENT_PREEMPTED ? QUEUE : SLEEP;
	if (thread->state == QUEUE ||
		sprof_minus(moment->time_ns, thread->early.time_ns) > EARLY_NS)
		thread->early = (struct waking){0};
}

/*
 * Its waker is on a CPU: if it has no moment since the begin, it has been there since then. The end
 * of a process wakes its parent only when sprof has seen that end.
 */
static void know_waker(struct builder *builder, const struct sprof_moment *moment)
{
	struct thread *waker = &builder->threads[moment->by];
	const uint64_t end_ns = waker->since_ns;

	if (waker->state == INITIAL)
		waker->state = RUN;
	waker->seen_ns = moment->time_ns;
	if (waker->state != ENDED || moment->time_ns <= end_ns)
		return;
	add(builder,
		&(struct sprof_critical_part){
			.begin_ns = end_ns,
			.end_ns = moment->time_ns,
			.thread = moment->by,
			.by = SPROF_CRITICAL_NONE,
			.kind = SPROF_CRITICAL_SLEEP,
			.waker = SPROF_WAKER_SPROF,
		});
	waker->since_ns = moment->time_ns;
}

static void take_waking(struct builder *builder, uint32_t id, const struct sprof_moment *moment)
{
	struct thread *thread = &builder->threads[id];
	const struct waking waking = {moment->time_ns, moment->by, moment->waker};

	if (thread->state == RUN) {
		thread->early = waking;
		return;
	}
	if (thread->state == QUEUE)
		return;
	if (thread->state == LOST)
		close_part(builder, id, SPROF_CRITICAL_LOST, moment->time_ns);
	close_sleep(builder, id, &waking);
	thread->state = QUEUE;
}

static void take_end(struct builder *builder, uint32_t id, uint64_t time_ns)
{
	struct thread *thread = &builder->threads[id];

	if (thread->state == RUN || thread->state == INITIAL)
		close_part(builder, id, SPROF_CRITICAL_RUN, time_ns);
	else if (thread->state != SLEEP)
		close_part(builder, id, SPROF_CRITICAL_LOST, time_ns);
	thread->state = ENDED; /* asleep: since its last switch */
}

/* Without a switch since the begin of the recording, it has done the same since then. */
static void take_seen(struct thread *thread, const struct sprof_moment *moment)
{
	if (thread->state == INITIAL)
		thread->state = moment->kind == SPROF_MOMENT_SEEN_ASLEEP ? SLEEP : RUN;
}

/* From here on records are missing. What ran until it was seen last ran until then. */
static void lose(struct builder *builder)
{
	builder->graph->has_gaps = true;
	for (size_t i = 0; i < builder->graph->thread_count; i++) {
		struct thread *thread = &builder->threads[i];

		if (thread->state == NEW || thread->state == ENDED)
			continue;
		if (thread->state == RUN && thread->seen_ns > thread->since_ns)
			close_part(builder, (uint32_t)i, SPROF_CRITICAL_RUN, thread->seen_ns);
		thread->state = LOST;
		thread->early = (struct waking){0};
	}
}

/* Among missing records, only births and ends are certain: those are not records. */
static void take_among_lost(struct builder *builder, const struct sprof_moment *moment)
{
	struct thread *thread = &builder->threads[moment->thread];

	if (moment->kind == SPROF_MOMENT_BORN && thread->state == NEW) {
		begin_life(builder, moment->thread, moment->time_ns);
		thread->state = LOST;
	} else if (moment->kind == SPROF_MOMENT_ENDED && thread->state == LOST) {
		take_end(builder, moment->thread, moment->time_ns);
	}
}

static void take(struct builder *builder, const struct sprof_moment *moment)
{
	struct thread *thread = &builder->threads[moment->thread];

	if (moment->kind == SPROF_MOMENT_WOKEN && moment->waker == SPROF_WAKER_THREAD)
		know_waker(builder, moment);
	if (thread->state == NEW)
		begin_life(builder, moment->thread, moment->time_ns);
	thread->seen_ns = moment->time_ns;
	switch (thread->state == ENDED ? SPROF_MOMENT_BORN : moment->kind) {
	case SPROF_MOMENT_ON:
		take_on(builder, moment->thread, moment->time_ns);
		break;
	case SPROF_MOMENT_OFF:
	case SPROF_MOMENT_PREEMPTED:
		take_off(builder, moment->thread, moment);
		break;
	case SPROF_MOMENT_WOKEN:
		take_waking(builder, moment->thread, moment);
		break;
	case SPROF_MOMENT_ENDED:
		take_end(builder, moment->thread, moment->time_ns);
		break;
	case SPROF_MOMENT_SEEN_RUNNING:
	case SPROF_MOMENT_SEEN_ASLEEP:
		take_seen(thread, moment);
		break;
	default:
		break;
	}
}

/* What a living thread does when the recording ends. */
static void finish_thread(struct builder *builder, uint32_t id)
{
	static const enum sprof_critical_kind kinds[] = {
		[RUN] = SPROF_CRITICAL_RUN,
		[QUEUE] = SPROF_CRITICAL_QUEUE,
		[SLEEP] = SPROF_CRITICAL_SLEEP,
		[LOST] = SPROF_CRITICAL_LOST,
	};
	const struct thread *thread = &builder->threads[id];

	/* Of a thread without moments, nothing is known. */
	if (thread->state == NEW || thread->state == INITIAL || thread->state == ENDED)
		return;
	close_part(builder, id, kinds[thread->state], builder->graph->end_ns);
	if (builder->count)
		builder->parts[builder->count - 1].is_open = true;
}

/* A counting sort by thread keeps the order of time. */
static bool sort_parts(struct builder *builder)
{
	struct sprof_critical_graph *graph = builder->graph;
	size_t *next = calloc(graph->thread_count + 1, sizeof(*next));

	graph->parts = calloc(builder->count + 1, sizeof(*graph->parts));
	graph->woken = calloc(builder->count + 1, sizeof(*graph->woken));
	graph->first = calloc(graph->thread_count + 1, sizeof(*graph->first));
	if (!next || !graph->parts || !graph->woken || !graph->first) {
		free(next);
		return false;
	}
	for (size_t i = 0; i < builder->count; i++)
		graph->first[builder->parts[i].thread + 1]++;
	for (size_t i = 0; i < graph->thread_count; i++) {
		next[i] = graph->first[i];
		graph->first[i + 1] += graph->first[i];
	}
	for (size_t i = 0; i < builder->count; i++) {
		const struct sprof_critical_part *part = &builder->parts[i];
		const size_t place = next[part->thread]++;

		graph->parts[place] = *part;
		if (sprof_critical_has_waker(part))
			graph->woken[graph->woken_count++] = (uint32_t)place;
	}
	graph->count = builder->count;
	free(next);
	return true;
}

static size_t count_threads(const struct sprof_moment *moments, size_t count)
{
	size_t threads = 0;

	for (size_t i = 0; i < count; i++) {
		if (moments[i].kind == SPROF_MOMENT_GAP)
			continue;
		threads = sprof_most(threads, (size_t)moments[i].thread + 1);
		if (moments[i].waker == SPROF_WAKER_THREAD)
			threads = sprof_most(threads, (size_t)moments[i].by + 1);
	}
	return threads;
}

/* A birth may be reported after the thread's first moment. */
static void find_creators(struct builder *builder, const struct sprof_moment *moments, size_t count)
{
	for (size_t i = 0; i < builder->graph->thread_count; i++)
		builder->threads[i] =
			(struct thread){.state = INITIAL, .since_ns = builder->graph->begin_ns};
	for (size_t i = 0; i < count; i++) {
		if (moments[i].kind != SPROF_MOMENT_BORN || moments[i].waker != SPROF_WAKER_THREAD)
			continue;
		builder->threads[moments[i].thread].state = NEW;
		builder->threads[moments[i].thread].creator = moments[i].by;
	}
}

/* Marks the moments in gaps, which come before the moment that reports the gap. */
static void find_lost(const struct sprof_moment *moments, size_t count, bool *ret)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t lost_ns = moments[i].by == UINT32_MAX
			? UINT64_MAX
			: (uint64_t)moments[i].by * SPROF_NS_PER_US;
		const uint64_t since_ns = sprof_minus(moments[i].time_ns, lost_ns);

		if (moments[i].kind != SPROF_MOMENT_GAP)
			continue;
		ret[i] = true;
		for (size_t k = i; k && moments[k - 1].time_ns >= since_ns; k--)
			ret[k - 1] = true;
	}
}

static void take_all(struct builder *builder, const struct sprof_moment *moments, size_t count,
	const bool *is_lost)
{
	for (size_t i = 0; i < count; i++) {
		if (is_lost[i] && (!i || !is_lost[i - 1]))
			lose(builder);
		if (!is_lost[i])
			take(builder, &moments[i]);
		else if (moments[i].kind != SPROF_MOMENT_GAP)
			take_among_lost(builder, &moments[i]);
	}
}

bool sprof_critical_graph_build(const struct sprof_moment *moments, size_t count, uint64_t begin_ns,
	uint64_t end_ns, struct sprof_critical_graph *ret)
{
	struct builder builder = {.graph = ret};
	bool *is_lost, ok;

	*ret = (struct sprof_critical_graph){
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.thread_count = count_threads(moments, count),
	};
	builder.threads = calloc(ret->thread_count + 1, sizeof(*builder.threads));
	is_lost = calloc(count + 1, sizeof(*is_lost));
	if (!builder.threads || !is_lost) {
		free(builder.threads);
		free(is_lost);
		return false;
	}
	find_creators(&builder, moments, count);
	find_lost(moments, count, is_lost);
	take_all(&builder, moments, count, is_lost);
	for (size_t i = 0; i < ret->thread_count; i++)
		finish_thread(&builder, (uint32_t)i);
	ok = !builder.out_of_memory && builder.count < SPROF_CRITICAL_NONE && sort_parts(&builder);
	free(builder.threads);
	free(builder.parts);
	free(is_lost);
	return ok;
}

void sprof_critical_graph_finish(struct sprof_critical_graph *graph)
{
	free(graph->parts);
	free(graph->first);
	free(graph->woken);
	*graph = (struct sprof_critical_graph){0};
}

uint32_t sprof_critical_part_at(
	const struct sprof_critical_graph *graph, uint32_t thread, uint64_t time_ns)
{
	const struct sprof_critical_part *parts;
	size_t count, index;

	if (thread >= graph->thread_count)
		return SPROF_CRITICAL_NONE;
	parts = graph->parts + graph->first[thread];
	count = graph->first[thread + 1] - graph->first[thread];
	if (!count || parts->begin_ns > time_ns)
		return SPROF_CRITICAL_NONE;
	/* The first part that ends at that time or later; after the last one, the last. */
	index = sprof_lower_bound(parts, count, sizeof(*parts),
		offsetof(struct sprof_critical_part, end_ns), time_ns);
	return (uint32_t)(graph->first[thread] + sprof_least(index, count - 1));
}

/* Ran until its end, as far as it is known. */
static bool has_run(const struct sprof_critical_part *part)
{
	return part->kind == SPROF_CRITICAL_RUN ||
		(part->kind == SPROF_CRITICAL_QUEUE && part->is_open) ||
		(part->kind == SPROF_CRITICAL_LOST && !part->is_open);
}

static struct sprof_critical_end end_of_thread(
	const struct sprof_critical_graph *graph, uint32_t thread)
{
	const size_t first = graph->first[thread];
	size_t next = graph->first[thread + 1];
	const struct sprof_critical_part *last;
	struct sprof_critical_end end = {.thread = SPROF_CRITICAL_NONE};

	if (first == next)
		return end;
	last = &graph->parts[next - 1];
	while (next > first && !has_run(&graph->parts[next - 1]))
		next--;
	if (next == first && !last->is_open)
		return end;
	end.thread = thread;
	end.ran_ns = next > first ? graph->parts[next - 1].end_ns : 0;
	end.time_ns = last->is_open ? last->end_ns : end.ran_ns;
	return end;
}

bool sprof_critical_is_later(
	const struct sprof_critical_end *end, const struct sprof_critical_end *other)
{
	if (end->thread == SPROF_CRITICAL_NONE || other->thread == SPROF_CRITICAL_NONE)
		return end->thread != SPROF_CRITICAL_NONE;
	if (end->time_ns != other->time_ns)
		return end->time_ns > other->time_ns;
	return end->ran_ns > other->ran_ns;
}

struct sprof_critical_end sprof_critical_end_of(
	const struct sprof_critical_graph *graph, uint32_t thread)
{
	struct sprof_critical_end end = {.thread = SPROF_CRITICAL_NONE};

	if (thread != SPROF_CRITICAL_NONE)
		return thread < graph->thread_count ? end_of_thread(graph, thread) : end;
	for (size_t i = 0; i < graph->thread_count; i++) {
		const struct sprof_critical_end other = end_of_thread(graph, (uint32_t)i);

		if (sprof_critical_is_later(&other, &end))
			end = other;
	}
	return end;
}
