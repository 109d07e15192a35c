/*
 * Opens perf events and turns their records into events. Most perf events are per thread and
 * inherited by new threads. Wakeups and thread-to-thread switches are recorded for the whole
 * machine, because they mostly happen while another thread runs; records of other processes are
 * dropped.
 *
 * A thread that starts while the target's threads are being listed may be missed.
 */
#include "events/recorded/events.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/idmap.h"
#include "events/perf/registers.h"
#include "events/recorded/order.h"
#include "events/recorded/points.h"
#include "events/recorded/tid-owners.h"
#include "events/recorded/tracepoint-calls.h"
#include "events/syscalls/sleeping-call.h"

enum {
	POLL_NS = 5 * SPROF_NS_PER_MS,
	BUSY_POLL_NS = SPROF_NS_PER_MS / 2, /* stacks fill the rings */
	BUSY = 16,                          /* events of one reading */
	/* Pseudo event types: */
	GAP = SPROF_TRACE_TYPES, /* records were lost */
	ENDED,                   /* the thread has ended */
};

struct sprof_recorded_events {
	struct sprof_recorded_options options;
	struct sprof_target *target;
	const struct sprof_event_stacks *stacks; /* NULL: not offered yet */
	struct sprof_recorded_points points;
	struct sprof_tracepoint_calls calls;
	struct sprof_tid_owners owners;
	struct sprof_idmap cpus; /* (0, the thread's id) -> where it left its CPU */
	struct sprof_recorded_order order;
	uint64_t begin_ns;    /* since when all events are recorded */
	uint64_t next_ns;     /* when to read */
	uint64_t read_ns;     /* when the last reading began */
	uint64_t known_ns;    /* all events from before it have been given */
	bool has_new_program; /* its mappings must be read before it ends */
	bool out_of_memory;
};

bool sprof_recorded_events_create(const struct sprof_recorded_options *options,
	struct sprof_recorded_events **ret, enum sprof_trace_type *ret_type,
	struct sprof_perf_denial *ret_denial)
{
	struct sprof_recorded_events *events = calloc(1, sizeof(*events));

	*ret = events;
	*ret_type = SPROF_TRACE_TYPES;
	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_OTHER, 0};
	if (!events)
		return false;
	events->options = *options;
	events->calls.listener = options->listener;
	events->next_ns = UINT64_MAX;
	if (sprof_recorded_points_init(&events->points, &options->wants, options->follow_children,
		    ret_type, ret_denial))
		return true;
	sprof_recorded_events_destroy(events);
	*ret = NULL;
	return false;
}

void sprof_recorded_events_destroy(struct sprof_recorded_events *events)
{
	if (!events)
		return;
	sprof_recorded_points_finish(&events->points);
	sprof_tid_owners_finish(&events->owners);
	sprof_idmap_finish(&events->cpus);
	sprof_tracepoint_calls_finish(&events->calls);
	sprof_recorded_order_finish(&events->order);
	free(events);
}

uint64_t sprof_recorded_events_known_ns(const struct sprof_recorded_events *events)
{
	return events->known_ns;
}

struct sprof_recorded_gaps sprof_recorded_events_gaps(const struct sprof_recorded_events *events)
{
	return (struct sprof_recorded_gaps){
		.lost = events->points.rings.lost,
		.unwatched = events->points.unwatched,
		.refused = events->points.refused,
		.late = events->points.late,
		.ended_unseen = events->calls.ended_unseen,
		.is_of_users_only = sprof_recorded_points_see_users_only(&events->points),
	};
}

static void put_cpu(struct sprof_recorded_events *events, const struct sprof_trace_event *event)
{
	if (sprof_idmap_find(&events->cpus, 0, event->thread) == (uint32_t)event->cpu)
		return;
	sprof_idmap_remove(&events->cpus, 0, event->thread);
	if (!sprof_idmap_put(&events->cpus, 0, event->thread, (uint32_t)event->cpu))
		events->out_of_memory = true;
}

static void know_threads(struct sprof_recorded_events *events)
{
	if (!sprof_tid_owners_know(&events->owners, events->target))
		events->out_of_memory = true;
}

/* By its end, or by an exec, the thread has lost an id. */
static void lose_id(struct sprof_recorded_events *events, const struct sprof_event *event)
{
	if (!sprof_tid_owners_end(
		    &events->owners, event->former_tid, event->thread->id, event->time_ns))
		events->out_of_memory = true;
}

static void watch_threads(struct sprof_recorded_events *events)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++)
		sprof_recorded_points_watch_thread(&events->points, threads[i]->tid);
}

/* Called before recording begins; later calls appear in records. */
static void find_calls(struct sprof_recorded_events *events)
{
	const uint64_t now = sprof_clock_now_ns();
	struct sprof_thread **threads;
	size_t count;

	if (!sprof_recorded_has_type(&events->options.wants, SPROF_TRACE_SYS_EXIT))
		return;
	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++) {
		struct open_call call;
		bool is_inside = !threads[i]->born && sprof_call_find(threads[i], now, &call) &&
			sprof_recorded_has_call(&events->options.wants, call.number);

		if (!sprof_tracepoint_calls_found(
			    &events->calls, threads[i], is_inside ? &call : NULL))
			events->out_of_memory = true;
	}
}

static void begin(void *data, struct sprof_target *target)
{
	struct sprof_recorded_events *events = data;

	events->target = target;
	know_threads(events);
	watch_threads(events);
	sprof_recorded_points_watch_machine(&events->points);
	find_calls(events);
	sprof_recorded_points_enable(&events->points);
	events->begin_ns = events->read_ns = events->known_ns = sprof_clock_now_ns();
	events->next_ns = events->read_ns + POLL_NS;
}

/* Read as soon as mapped: a short program takes its mappings away at its end. */
static void expect_programs(struct sprof_recorded_events *events)
{
	struct sprof_thread **threads;
	size_t count;

	if (!events->has_new_program || !events->stacks)
		return;
	events->has_new_program = false;
	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++) {
		if (!events->stacks->expect(events->stacks->data, threads[i]))
			events->out_of_memory = true;
	}
}

static bool offer(void *data, const struct sprof_event_stacks *stacks)
{
	struct sprof_recorded_events *events = data;

	events->stacks = stacks;
	events->has_new_program = events->options.wants.stacks;
	expect_programs(events);
	return !events->out_of_memory;
}

static bool is_ours(const struct sprof_recorded_events *events,
	const struct sprof_recorded_point *point, const struct sprof_perf_record *record)
{
	pid_t tid;

	for (size_t i = 0; i < point->tracepoint.tid_count; i++) {
		if (sprof_tracepoint_type_tid(&point->tracepoint, record, i, &tid) &&
			sprof_tid_owners_find(&events->owners, tid, record->time_ns) !=
				SPROF_IDMAP_NONE)
			return true;
	}
	return !sprof_recorded_point_is_of_machine(point);
}

/* The stack is valid only until the next record is taken. An ended thread has none. */
static uint32_t walk_stack(struct sprof_recorded_events *events,
	const struct sprof_trace_event *event, const struct sprof_perf_record *record)
{
	const struct sprof_event_stacks *stacks = events->stacks;
	struct sprof_thread *thread =
		stacks ? sprof_target_find(events->target, record->tid) : NULL;
	struct sprof_perf_user user;
	uint32_t stack = 0;

	if (!thread || thread->id != event->thread || !sprof_perf_user_read(record, true, &user))
		return 0;
	if (!stacks->expect(stacks->data, thread) ||
		(stacks->take(stacks->data, thread, &user, record->time_ns) &&
			!stacks->walk(stacks->data, &stack)))
		events->out_of_memory = true;
	return stack;
}

/* Returns NULL if out of memory. */
static struct sprof_recorded *append(
	struct sprof_recorded_events *events, struct sprof_trace_event event)
{
	struct sprof_recorded *added = sprof_recorded_order_add(&events->order, &event);

	if (!added)
		events->out_of_memory = true;
	return added;
}

static struct sprof_recorded *append_record(
	struct sprof_recorded_events *events, uint32_t type, const struct sprof_perf_record *record)
{
	return append(events,
		(struct sprof_trace_event){
			.time_ns = record->time_ns,
			.thread = sprof_tid_owners_find(
				&events->owners, record->tid, record->time_ns),
			.pid = record->pid,
			.tid = record->tid,
			.cpu = record->cpu,
			.type = type,
		});
}

/* Sources are enabled one after the other; until then, the end of a pair may be missing. */
static void take_record(void *data, const struct sprof_perf_record *record)
{
	struct sprof_recorded_events *events = data;
	const struct sprof_recorded_point *point =
		sprof_recorded_points_find(&events->points, record);
	const uint32_t type = point ? sprof_recorded_point_type(point, record) : GAP;
	struct sprof_recorded *added;

	added = record->kind == SPROF_PERF_LOST ? append_record(events, GAP, record) : NULL;
	if (added)
		added->values.values[0].integer = (int64_t)record->since_ns;
	if (!point || !is_ours(events, point, record) ||
		(record->time_ns < events->begin_ns && type != SPROF_TRACE_SYS_EXIT))
		return;
	added = append_record(events, type, record);
	if (!added)
		return;
	sprof_recorded_point_read(point, record, &added->values);
	if (point->has_stack)
		added->event.stack = walk_stack(events, &added->event, record);
}

/* Reads its mappings, which are gone once it has ended. */
static void expect_stacks(struct sprof_recorded_events *events, pid_t tid)
{
	const struct sprof_event_stacks *stacks = events->stacks;
	struct sprof_thread *thread = stacks && events->options.wants.stacks
		? sprof_target_find(events->target, tid)
		: NULL;

	if (thread && !stacks->expect(stacks->data, thread))
		events->out_of_memory = true;
}

/* New threads inherit all but probes. The new thread has not run yet, or not for long. */
static void watch_newborn(struct sprof_recorded_events *events, const struct sprof_thread *thread)
{
	expect_stacks(events, thread->tid);
	sprof_recorded_points_watch_newborn(&events->points, thread->process->pid, thread->tid);
	sprof_recorded_points_enable(&events->points);
}

/* Held threads are watched when they are held, so not here. */
static void take_birth(struct sprof_recorded_events *events, const struct sprof_event *event)
{
	const struct sprof_thread *born = event->born.thread;

	if (!sprof_tid_owners_begin(&events->owners, born->tid, born->id, born->seen_ns))
		events->out_of_memory = true;
	if (events->options.holds || (event->born.is_process && !events->options.follow_children))
		return;
	watch_newborn(events, born);
}

bool sprof_recorded_events_add_probe(struct sprof_recorded_events *events,
	const struct sprof_probe *probe, const struct sprof_process *process,
	struct sprof_perf_denial *ret_denial)
{
	struct sprof_thread **threads;
	size_t count;

	if (!sprof_recorded_points_add_probe(&events->points, probe, ret_denial))
		return false;
	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->process == process)
			sprof_recorded_points_watch_added(&events->points, threads[i]->tid);
	}
	sprof_recorded_points_enable(&events->points);
	return true;
}

/* Reads all records so far. */
static void drain(struct sprof_recorded_events *events)
{
	know_threads(events);
	sprof_perf_rings_drain(&events->points.rings, take_record, events);
}

/* Its last records are read now if they have stacks: then its mappings are still known. */
static void take_end(struct sprof_recorded_events *events, const struct sprof_event *event)
{
	const struct sprof_thread *thread = event->thread;

	lose_id(events, event);
	if (events->options.wants.stacks || events->points.opened_count)
		drain(events);
	sprof_recorded_points_end_thread(&events->points, thread->tid);
	append(events,
		(struct sprof_trace_event){
			.time_ns = event->time_ns,
			.thread = thread->id,
			.tid = event->former_tid,
			.type = ENDED,
		});
}

/*
 * The old mappings are used for the last time. The surviving thread may have had another tid, under
 * which its probes were opened; they are about to be closed.
 */
static void take_exec(struct sprof_recorded_events *events, const struct sprof_event *event)
{
	const pid_t pid = event->thread->process->pid;

	if (event->former_tid != pid)
		lose_id(events, event);
	if (!events->options.wants.stacks && !events->points.opened_count)
		return;
	drain(events);
	sprof_recorded_points_end_thread(&events->points, pid);
	sprof_recorded_points_watch_newborn(&events->points, pid, pid);
	sprof_recorded_points_enable(&events->points);
	events->has_new_program = events->options.wants.stacks;
	events->next_ns = 0;
}

static void take(void *data, const struct sprof_event *event)
{
	struct sprof_recorded_events *events = data;

	if (event->kind == SPROF_EVENT_BORN)
		take_birth(events, event);
	if (event->kind == SPROF_EVENT_HELD && event->held == SPROF_HELD_BORN)
		watch_newborn(events, event->thread);
	if (event->kind == SPROF_EVENT_EXEC)
		take_exec(events, event);
	if (event->kind == SPROF_EVENT_ENDED)
		take_end(events, event);
}

static void take_gap(struct sprof_recorded_events *events, const struct sprof_trace_event *event)
{
	sprof_tracepoint_calls_gap(&events->calls);
	if (events->options.gap)
		events->options.gap(events->options.sink.data, (uint64_t)event->fields[0].integer,
			event->time_ns);
}

/* The CPU that the thread had before; -1: not known. */
static bool give_on(struct sprof_recorded_events *events, const struct sprof_trace_event *event)
{
	const struct sprof_trace_sink *sink = &events->options.sink;
	const uint32_t before = sprof_idmap_find(&events->cpus, 0, event->thread);
	const struct sprof_trace_value fields[] = {
		event->fields[0], {.integer = before == SPROF_IDMAP_NONE ? -1 : (int64_t)before}};
	struct sprof_trace_event whole = *event;

	whole.fields = fields;
	return sink->event(sink->data, &whole);
}

static bool give(void *data, const struct sprof_recorded *recorded)
{
	struct sprof_recorded_events *events = data;
	const struct sprof_trace_sink *sink = &events->options.sink;
	const struct sprof_trace_event *event = &recorded->event;

	if (recorded->copy)
		return sink->event(sink->data, event);
	switch (event->type) {
	case GAP:
		take_gap(events, event);
		return true;
	case ENDED:
		return sprof_tracepoint_calls_end(&events->calls, event);
	case SPROF_TRACE_SYS_ENTER:
	case SPROF_TRACE_SYS_EXIT:
		return sprof_tracepoint_calls_add(&events->calls, event);
	case SPROF_TRACE_ON:
		return give_on(events, event);
	case SPROF_TRACE_OFF:
		put_cpu(events, event);
		return sink->event(sink->data, event);
	default:
		return sink->event(sink->data, event);
	}
}

/* Gives all events from before a moment, in the order of time. */
static void release(struct sprof_recorded_events *events, uint64_t until_ns)
{
	if (!sprof_recorded_order_release(&events->order, until_ns, give, events))
		events->out_of_memory = true;
}

static uint64_t poll_period(const struct sprof_recorded_events *events, size_t waiting)
{
	return events->options.wants.stacks && waiting > BUSY ? BUSY_POLL_NS : POLL_NS;
}

/* Records older than the previous reading were already in the rings then, so all have been read. */
static bool poll_rings(void *data, uint64_t now_ns)
{
	struct sprof_recorded_events *events = data;
	const uint64_t before_ns = events->read_ns;

	expect_programs(events);
	events->read_ns = sprof_clock_now_ns();
	drain(events);
	release(events, before_ns);
	events->known_ns = events->owners.settled_ns = before_ns;
	events->next_ns = sprof_clock_now_ns() + poll_period(events, events->order.count);
	return !events->out_of_memory && !events->points.out_of_memory;
}

static uint64_t due_ns(const void *data)
{
	return ((const struct sprof_recorded_events *)data)->next_ns;
}

static void end(void *data, uint64_t now_ns)
{
	struct sprof_recorded_events *events = data;

	sprof_perf_rings_disable(&events->points.rings);
	drain(events);
	release(events, UINT64_MAX);
	if (!sprof_tracepoint_calls_close(&events->calls, now_ns))
		events->out_of_memory = true;
}

struct sprof_event_source sprof_recorded_events_source(struct sprof_recorded_events *events)
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

static bool add_foreign(void *data, const struct sprof_trace_event *event)
{
	struct sprof_recorded_events *events = data;

	if (!sprof_recorded_order_add_copy(&events->order, event))
		events->out_of_memory = true;
	return !events->out_of_memory;
}

struct sprof_trace_sink sprof_recorded_events_sink(struct sprof_recorded_events *events)
{
	return (struct sprof_trace_sink){events, add_foreign};
}
