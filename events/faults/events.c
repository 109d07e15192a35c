/*
 * Statistics of page faults: reads their records (watch.h), has their stacks unwound, and
 * balances each thread's account with the kernel's count. Counts a fault as one page, even if the
 * kernel maps a huge page or neighbouring file pages (fault-around). Records lost from a leader
 * that disappears in another thread's exec are not made up for. Stacks are native only: the kernel
 * copies nothing else.
 */
#include "events/faults/events.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "events/faults/pace.h"
#include "events/faults/stash.h"
#include "events/faults/watch.h"
#include "events/perf/registers.h"

enum {
	POLL_NS = 5 * SPROF_NS_PER_MS,
	BUSY_POLL_NS = SPROF_NS_PER_MS,  /* as long as there are records */
	FRESH_NS = 10 * SPROF_NS_PER_MS, /* a new program is polled that often for that long: */
	FRESH_POLL_NS = SPROF_NS_PER_MS / 4,
	SOME_NS = SPROF_NS_PER_MS, /* time for counting records before the loop continues */
	AT_ONCE = 16,              /* records that are counted before more are copied */
};

struct sprof_fault_events {
	struct sprof_fault_options options;
	struct sprof_target *target;
	const struct sprof_event_stacks *stacks; /* NULL: not offered yet */
	struct sprof_fault_watch watch;
	struct sprof_fault_pace pace;
	struct sprof_fault_stash stash;
	struct sprof_fault_threads threads;
	struct sprof_fault_figures figures;
	uint64_t records;  /* of the present reading */
	uint64_t next_ns;  /* when to read */
	uint64_t fresh_ns; /* until then a program is new: it maps its libraries */
	/*
	 * the leader that has just ended because another thread's exec has taken its id; NULL: none
	 */
	struct sprof_thread *replaced;
	bool has_new_program, out_of_memory;
};

bool sprof_fault_events_create(const struct sprof_fault_options *options,
	struct sprof_fault_events **ret, struct sprof_perf_denial *ret_denial)
{
	struct sprof_fault_events *events = calloc(1, sizeof(*events));

	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_OTHER, 0};
	*ret = NULL;
	if (!events)
		return false;
	events->options = *options;
	events->next_ns = UINT64_MAX;
	events->pace = sprof_fault_pace_begin(options->period);
	events->watch.period = options->period;
	if (!sprof_fault_watch_init(&events->watch, options->follow_children, ret_denial)) {
		sprof_fault_events_destroy(events);
		return false;
	}
	events->figures.is_of_users_only = events->watch.is_of_users_only;
	*ret = events;
	return true;
}

void sprof_fault_events_destroy(struct sprof_fault_events *events)
{
	if (!events)
		return;
	sprof_fault_watch_finish(&events->watch);
	sprof_fault_threads_finish(&events->threads);
	sprof_fault_stash_finish(&events->stash);
	free(events);
}

struct sprof_fault_figures sprof_fault_events_figures(const struct sprof_fault_events *events)
{
	return events->figures;
}

static struct sprof_fault_count count_of(struct sprof_thread *thread)
{
	struct sprof_proc_stat stat;

	if (!sprof_thread_read_stat(thread, &stat))
		return (struct sprof_fault_count){0};
	return (struct sprof_fault_count){stat.minor_faults, stat.major_faults};
}

/* A thread born during tracing has had the events from its start. */
static void know_thread(struct sprof_fault_events *events, struct sprof_thread *thread)
{
	struct sprof_fault_count first = {0};

	if (sprof_fault_threads_have(&events->threads, thread->id))
		return;
	if (!thread->born)
		first = count_of(thread);
	if (!sprof_fault_threads_add(&events->threads, thread->id, &first))
		events->out_of_memory = true;
}

static void know_threads(struct sprof_fault_events *events)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++)
		know_thread(events, threads[i]);
}

static void begin(void *data, struct sprof_target *target)
{
	struct sprof_fault_events *events = data;

	events->target = target;
	know_threads(events);
	events->figures.unwatched =
		sprof_fault_watch_open(&events->watch, target, events->pace.period);
	events->next_ns = sprof_clock_now_ns() + BUSY_POLL_NS;
}

static bool expect(struct sprof_fault_events *events, struct sprof_thread *thread)
{
	if (!events->stacks)
		return false;
	if (events->stacks->expect(events->stacks->data, thread))
		return true;
	events->out_of_memory = true;
	return false;
}

/* Read as soon as mapped: a short program takes its mappings away at its end. */
static void expect_programs(struct sprof_fault_events *events)
{
	struct sprof_thread **threads;
	size_t count;

	if (!events->has_new_program || !events->stacks)
		return;
	events->has_new_program = false;
	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++)
		(void)expect(events, threads[i]);
}

static void expect_new(struct sprof_fault_events *events)
{
	events->has_new_program = true;
	events->next_ns = 0;
	events->fresh_ns = sprof_clock_now_ns() + FRESH_NS;
}

static bool offer(void *data, const struct sprof_event_stacks *stacks)
{
	struct sprof_fault_events *events = data;

	events->stacks = stacks;
	expect_new(events);
	expect_programs(events);
	return !events->out_of_memory;
}

/* 0: it is not known. */
static uint32_t walk(struct sprof_fault_events *events, struct sprof_thread *thread,
	const struct sprof_fault_kept *kept)
{
	const struct sprof_event_stacks *stacks = events->stacks;
	const struct sprof_perf_user *user = &kept->user;
	uint32_t stack = 0;

	if (user->stack && stacks->take(stacks->data, thread, user, kept->record.time_ns) &&
		!stacks->walk(stacks->data, &stack))
		events->out_of_memory = true;
	return stack;
}

/* The part of a record's faults that the kernel's count of the thread covers. */
static struct sprof_fault_count account(struct sprof_fault_events *events,
	struct sprof_thread *thread, const struct sprof_perf_record *record)
{
	struct sprof_fault_threads *threads = &events->threads;
	struct sprof_fault_count count = sprof_fault_watch_weight(&events->watch, record), known;

	if (!sprof_fault_threads_have_room(threads, thread->id, &count)) {
		if (thread == events->replaced) {
			sprof_fault_threads_trust(threads, thread->id, &count);
		} else {
			known = count_of(thread);
			sprof_fault_threads_learn(threads, thread->id, &known);
		}
	}
	sprof_fault_threads_saw(threads, thread->id, &count);
	events->figures.recorded += sprof_fault_count_sum(&count);
	return count;
}

/* The threads have exchanged their ids, but the records of before the exec have the old ones. */
static struct sprof_thread *thread_of(
	const struct sprof_fault_events *events, const struct sprof_perf_record *record)
{
	struct sprof_thread *replaced = events->replaced;
	pid_t tid = record->tid;

	if (replaced && record->time_ns < replaced->process->executed_ns) {
		if (tid == replaced->process->pid)
			return replaced;
		if (tid == replaced->tid)
			tid = replaced->process->pid;
	}
	return sprof_target_find(events->target, tid);
}

/* The faults of an ended thread were reported as unseen already. */
static void count_record(struct sprof_fault_events *events, const struct sprof_fault_kept *kept)
{
	const struct sprof_fault_sink *sink = &events->options.sink;
	struct sprof_thread *thread = thread_of(events, &kept->record);
	struct sprof_fault_count count;

	if (!thread || !expect(events, thread))
		return;
	count = account(events, thread, &kept->record);
	if (sprof_fault_count_sum(&count) &&
		!sink->faults(sink->data, thread->id, walk(events, thread, kept), &count))
		events->out_of_memory = true;
}

static void take_record(void *data, const struct sprof_perf_record *record)
{
	struct sprof_fault_events *events = data;
	struct sprof_fault_kept kept = {.record = *record};

	if (record->kind != SPROF_PERF_SAMPLE)
		return;
	events->records++;
	if (!sprof_perf_user_read(record, true, &kept.user))
		kept.user = (struct sprof_perf_user){0};
	if (!sprof_fault_stash_put(&events->stash, &kept))
		count_record(events, &kept);
}

static void copy_records(struct sprof_fault_events *events)
{
	const uint64_t before = events->records, period = events->pace.period;
	struct sprof_fault_load load;

	know_threads(events);
	sprof_perf_rings_drain(&events->watch.rings, take_record, events);
	load = (struct sprof_fault_load){
		sprof_clock_now_ns(), events->records - before, events->watch.rings.lost};
	if (sprof_fault_pace_step(&events->pace, &load) &&
		!sprof_fault_watch_change(&events->watch, events->target, events->pace.period))
		sprof_fault_pace_keep(&events->pace, period);
}

/* Reads all records so far. */
static void drain(struct sprof_fault_events *events)
{
	struct sprof_fault_kept kept;

	copy_records(events);
	while (sprof_fault_stash_take(&events->stash, &kept))
		count_record(events, &kept);
}

/* The same for a while: more records are copied meanwhile. Whether all have been counted. */
static bool drain_some(struct sprof_fault_events *events)
{
	const uint64_t end_ns = sprof_clock_now_ns() + SOME_NS;
	struct sprof_fault_kept kept;

	copy_records(events);
	for (unsigned i = 1; sprof_fault_stash_take(&events->stash, &kept); i++) {
		count_record(events, &kept);
		if (i % AT_ONCE)
			continue;
		copy_records(events);
		if (sprof_clock_now_ns() > end_ns)
			return false;
	}
	return true;
}

/* Its records have been read. */
static void settle(struct sprof_fault_events *events, struct sprof_thread *thread)
{
	const struct sprof_fault_sink *sink = &events->options.sink;
	const struct sprof_fault_count last = thread == events->replaced
		? sprof_fault_threads_known(&events->threads, thread->id)
		: count_of(thread);
	struct sprof_fault_balance balance;

	if (!sprof_fault_threads_end(&events->threads, thread->id, &last, &balance))
		return;
	events->figures.all += sprof_fault_count_sum(&balance.all);
	if (sprof_fault_count_sum(&balance.unseen) && expect(events, thread) &&
		!sink->unseen(sink->data, thread->id, &balance.unseen))
		events->out_of_memory = true;
}

/*
 * After another thread's exec took the leader's tid, the leader is gone: /proc shows the figures of
 * the other thread.
 */
static void take_end(struct sprof_fault_events *events, struct sprof_thread *thread)
{
	events->replaced = sprof_thread_has_figures(thread) ? NULL : thread;
	drain(events);
	settle(events, thread);
	events->replaced = NULL;
}

static void take(void *data, const struct sprof_event *event)
{
	struct sprof_fault_events *events = data;
	struct sprof_thread *born;

	if (event->kind == SPROF_EVENT_BORN) {
		born = sprof_target_find(events->target, event->born.tid);
		if (born)
			(void)expect(events, born);
	}
	/* The old mappings are used for the last time. */
	if (event->kind == SPROF_EVENT_EXEC) {
		drain(events);
		expect_new(events);
	}
	if (event->kind == SPROF_EVENT_ENDED)
		take_end(events, event->thread);
}

/* A program may end soon; its mappings can't be read afterwards. */
static uint64_t until_next(const struct sprof_fault_events *events)
{
	if (events->next_ns < events->fresh_ns)
		return FRESH_POLL_NS;
	return events->records ? BUSY_POLL_NS : POLL_NS;
}

static bool poll_rings(void *data, uint64_t now_ns)
{
	struct sprof_fault_events *events = data;
	bool is_done;

	expect_programs(events);
	events->records = 0;
	is_done = drain_some(events);
	events->next_ns = sprof_clock_now_ns();
	if (is_done)
		events->next_ns += until_next(events);
	return !events->out_of_memory && !events->watch.out_of_memory;
}

static uint64_t due_ns(const void *data)
{
	const struct sprof_fault_events *events = data;

	return events->next_ns;
}

static void end(void *data, uint64_t now_ns)
{
	struct sprof_fault_events *events = data;
	struct sprof_fault_figures *figures = &events->figures;
	struct sprof_thread **threads;
	uint64_t counted, unseen;
	size_t count;

	sprof_perf_rings_disable(&events->watch.rings);
	drain(events);
	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++)
		settle(events, threads[i]);
	counted = sprof_perf_rings_count(&events->watch.rings);
	unseen = sprof_minus(figures->all, figures->recorded);
	figures->in_kernel = sprof_minus(figures->all, counted);
	if (figures->in_kernel > unseen)
		figures->in_kernel = unseen;
	figures->lost = unseen - figures->in_kernel;
}

struct sprof_event_source sprof_fault_events_source(struct sprof_fault_events *events)
{
	return (struct sprof_event_source){
		.data = events,
		.begin = begin,
		.offer = offer,
		.take = take,
		.due_ns = due_ns,
		.poll = poll_rings,
		.end = end,
	};
}
