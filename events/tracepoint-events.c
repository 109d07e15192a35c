/*
 * Opens tracepoints, and makes events of their samples. Calls are recorded for each thread; threads
 * inherit that from the one that starts them. Switches and wake-ups are recorded for the whole
 * machine, because most of them happen while another thread runs, and others' are dropped.
 *
 * The rings of different CPUs are read one after the other. So events wait until the next reading:
 * by then no older one can come.
 *
 * A thread that is started while the target's threads are being listed may not be watched.
 */
#include "events/tracepoint-events.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/idmap.h"
#include "events/call-found.h"
#include "events/perf-rings.h"
#include "events/tracepoint-calls.h"
#include "events/tracepoint-values.h"

enum {
	POLL_NS = 5 * SPROF_NS_PER_MS,
	LARGE_RING = 4 << 20, /* for each CPU, where it is permitted */
	/* These stand for the type of an event: */
	GAP = SPROF_TRACE_TYPES, /* records were lost */
	ENDED,                   /* the thread has ended */
};

/* An event that waits for its place in the order of time. */
struct waiting {
	struct sprof_trace_event event;
	uint64_t number;
	struct sprof_tracepoint_values values;
};

struct sprof_tracepoint_events {
	struct sprof_tracepoint_events_options options;
	struct sprof_target *target;
	struct sprof_perf_rings rings;
	struct sprof_tracepoint_type points[SPROF_TRACEPOINT_TYPES];
	size_t point_count;
	struct sprof_tracepoint_field type; /* the same place in every tracepoint */
	struct sprof_tracepoint_calls calls;
	struct sprof_idmap threads; /* (0, tid) -> the thread's id; ended ones stay */
	struct waiting *items;
	size_t count, capacity;
	uint64_t next_ns;     /* when to read */
	uint64_t read_ns;     /* when the last reading began */
	uint64_t known_ns;    /* all events from before it have been given */
	uint64_t next_number; /* events of one moment keep their order */
	uint32_t unwatched;
	bool out_of_memory;
};

static struct perf_event_attr attributes_of(
	const struct sprof_tracepoint_events *events, const struct sprof_tracepoint_type *point)
{
	struct perf_event_attr attributes = sprof_tracepoint_attributes(&point->found);

	attributes.inherit = !sprof_tracepoint_type_is_of_machine(point);
	attributes.inherit_thread = attributes.inherit && !events->options.follow_children;
	return attributes;
}

/* Asks with an event of our own, before anything is traced. */
static bool is_permitted(const struct sprof_tracepoint_events *events,
	const struct sprof_tracepoint_type *point, struct sprof_perf_denial *ret_denial)
{
	struct perf_event_attr attributes = attributes_of(events, point);
	int fd = sprof_perf_open(&attributes, sprof_tracepoint_type_is_of_machine(point) ? -1 : 0,
		sprof_tracepoint_type_is_of_machine(point) ? events->rings.cpus.items[0] : -1,
		ret_denial);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool add_point(struct sprof_tracepoint_events *events, enum sprof_trace_type type,
	struct sprof_perf_denial *ret_denial)
{
	struct sprof_tracepoint_type *point = &events->points[events->point_count++];

	return sprof_tracepoint_type_find(type, point, ret_denial) &&
		sprof_tracepoint_format_find(point->found.format, "common_type", &events->type) &&
		is_permitted(events, point, ret_denial);
}

static bool is_call(enum sprof_trace_type type)
{
	return type == SPROF_TRACE_SYS_ENTER || type == SPROF_TRACE_SYS_EXIT;
}

uint32_t sprof_tracepoint_events_calls(void)
{
	return 1U << SPROF_TRACE_SYS_ENTER | 1U << SPROF_TRACE_SYS_EXIT;
}

/* A call's begin and end tell about each other. */
static bool is_wanted(uint32_t types, enum sprof_trace_type type)
{
	return types & (is_call(type) ? sprof_tracepoint_events_calls() : 1U << type);
}

static bool add_points(struct sprof_tracepoint_events *events, struct sprof_perf_denial *ret_denial)
{
	for (enum sprof_trace_type type = 0; type < SPROF_TRACE_TYPES; type++) {
		if (is_wanted(events->options.types, type) && !add_point(events, type, ret_denial))
			return false;
	}
	return true;
}

bool sprof_tracepoint_events_create(const struct sprof_tracepoint_events_options *options,
	struct sprof_tracepoint_events **ret, struct sprof_perf_denial *ret_denial)
{
	struct sprof_tracepoint_events *events = calloc(1, sizeof(*events));

	*ret = events;
	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_OTHER, 0};
	if (!events)
		return false;
	events->options = *options;
	events->calls.listener = options->calls;
	events->next_ns = UINT64_MAX;
	if (sprof_perf_rings_init(&events->rings, ret_denial) && add_points(events, ret_denial)) {
		events->rings.ring_size = LARGE_RING;
		return true;
	}
	sprof_tracepoint_events_destroy(events);
	*ret = NULL;
	return false;
}

void sprof_tracepoint_events_destroy(struct sprof_tracepoint_events *events)
{
	if (!events)
		return;
	for (size_t i = 0; i < events->point_count; i++)
		sprof_tracepoint_finish(&events->points[i].found);
	sprof_perf_rings_finish(&events->rings);
	sprof_idmap_finish(&events->threads);
	sprof_tracepoint_calls_finish(&events->calls);
	free(events->items);
	free(events);
}

uint64_t sprof_tracepoint_events_known_ns(const struct sprof_tracepoint_events *events)
{
	return events->known_ns;
}

struct sprof_tracepoint_gaps sprof_tracepoint_events_gaps(
	const struct sprof_tracepoint_events *events)
{
	return (struct sprof_tracepoint_gaps){
		.lost = events->rings.lost,
		.unwatched = events->unwatched,
		.ended_unseen = events->calls.ended_unseen,
	};
}

static void know_thread(struct sprof_tracepoint_events *events, const struct sprof_thread *thread)
{
	if (sprof_idmap_find(&events->threads, 0, (uint64_t)thread->tid) == thread->id)
		return;
	sprof_idmap_remove(&events->threads, 0, (uint64_t)thread->tid);
	if (!sprof_idmap_put(&events->threads, 0, (uint64_t)thread->tid, thread->id))
		events->out_of_memory = true;
}

static void know_threads(struct sprof_tracepoint_events *events)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++)
		know_thread(events, threads[i]);
}

static bool watch_machine(
	struct sprof_tracepoint_events *events, const struct sprof_tracepoint_type *point)
{
	struct perf_event_attr attributes = attributes_of(events, point);
	struct sprof_perf_denial denial;

	return sprof_perf_rings_add(&events->rings, &attributes, -1, &denial);
}

static void watch_threads(
	struct sprof_tracepoint_events *events, const struct sprof_tracepoint_type *point)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++) {
		struct perf_event_attr attributes = attributes_of(events, point);
		struct sprof_perf_denial denial;

		if (!sprof_perf_rings_add(&events->rings, &attributes, threads[i]->tid, &denial) &&
			denial.reason != SPROF_PERF_GONE)
			events->unwatched++;
	}
}

/* Before anything is recorded: of calls that begin from now on, the records tell. */
static void find_calls(struct sprof_tracepoint_events *events)
{
	const uint64_t now = sprof_clock_now_ns();
	struct sprof_thread **threads;
	size_t count;

	if (!is_wanted(events->options.types, SPROF_TRACE_SYS_EXIT))
		return;
	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++) {
		struct open_call call;
		bool is_inside = !threads[i]->born && sprof_call_find(threads[i], now, &call);

		if (!sprof_tracepoint_calls_found(
			    &events->calls, threads[i], is_inside ? &call : NULL))
			events->out_of_memory = true;
	}
}

static void begin(void *data, struct sprof_target *target)
{
	struct sprof_tracepoint_events *events = data;

	events->target = target;
	know_threads(events);
	find_calls(events);
	for (size_t i = 0; i < events->point_count; i++) {
		const struct sprof_tracepoint_type *point = &events->points[i];

		if (!sprof_tracepoint_type_is_of_machine(point))
			watch_threads(events, point);
		else if (!watch_machine(events, point))
			events->unwatched++;
	}
	events->read_ns = events->known_ns = sprof_clock_now_ns();
	events->next_ns = events->read_ns + POLL_NS;
}

static const struct sprof_tracepoint_type *point_of(
	const struct sprof_tracepoint_events *events, const struct sprof_perf_record *record)
{
	int64_t type;

	if (!sprof_tracepoint_field_read(&events->type, record->raw, record->raw_size, &type))
		return NULL;
	for (size_t i = 0; i < events->point_count; i++) {
		if (events->points[i].found.id == (uint64_t)type)
			return &events->points[i];
	}
	return NULL;
}

static bool is_ours(const struct sprof_tracepoint_events *events,
	const struct sprof_tracepoint_type *point, const struct sprof_perf_record *record)
{
	pid_t tid;

	for (size_t i = 0; i < point->tid_count; i++) {
		if (sprof_tracepoint_type_tid(point, record, i, &tid) &&
			sprof_idmap_find(&events->threads, 0, (uint64_t)tid) != SPROF_IDMAP_NONE)
			return true;
	}
	return !sprof_tracepoint_type_is_of_machine(point);
}

/* Its time, thread and type are set already. NULL: no memory. */
static struct waiting *append(
	struct sprof_tracepoint_events *events, const struct sprof_trace_event *event)
{
	struct waiting *waiting;

	if (!sprof_array_reserve(
		    &events->items, &events->capacity, events->count + 1, sizeof(*events->items))) {
		events->out_of_memory = true;
		return NULL;
	}
	waiting = &events->items[events->count++];
	waiting->number = events->next_number++;
	waiting->event = *event;
	waiting->event.thread = sprof_idmap_find(&events->threads, 0, (uint64_t)event->tid);
	return waiting;
}

static struct waiting *append_record(struct sprof_tracepoint_events *events, uint32_t type,
	const struct sprof_perf_record *record)
{
	return append(events,
		&(struct sprof_trace_event){
			.time_ns = record->time_ns,
			.pid = record->pid,
			.tid = record->tid,
			.cpu = record->cpu,
			.type = type,
		});
}

static void take_record(void *data, const struct sprof_perf_record *record)
{
	struct sprof_tracepoint_events *events = data;
	const struct sprof_tracepoint_type *point;
	struct waiting *waiting;

	if (record->kind == SPROF_PERF_LOST)
		append_record(events, GAP, record);
	point = record->kind == SPROF_PERF_SAMPLE ? point_of(events, record) : NULL;
	if (!point || !is_ours(events, point, record))
		return;
	waiting = append_record(events, point->type, record);
	if (waiting)
		sprof_tracepoint_values_read(point, record, &waiting->values);
}

/* An ended thread's last records are still to be read. */
static void take(void *data, const struct sprof_event *event)
{
	if (event->kind != SPROF_EVENT_ENDED)
		return;
	know_thread(data, event->thread);
	append(data,
		&(struct sprof_trace_event){
			.time_ns = sprof_clock_now_ns(),
			.tid = event->thread->tid,
			.type = ENDED,
		});
}

static int compare(const void *a, const void *b)
{
	const struct waiting *left = a, *right = b;

	if (left->event.time_ns != right->event.time_ns)
		return left->event.time_ns < right->event.time_ns ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

static void take_gap(struct sprof_tracepoint_events *events, uint64_t end_ns)
{
	sprof_tracepoint_calls_gap(&events->calls);
	if (events->options.gap)
		events->options.gap(events->options.sink.data, end_ns);
}

static bool give_event(
	struct sprof_tracepoint_events *events, const struct sprof_trace_event *event)
{
	const struct sprof_trace_sink *sink = &events->options.sink;

	switch (event->type) {
	case GAP:
		take_gap(events, event->time_ns);
		return true;
	case ENDED:
		return sprof_tracepoint_calls_end(&events->calls, event->tid, event->time_ns);
	case SPROF_TRACE_SYS_ENTER:
	case SPROF_TRACE_SYS_EXIT:
		return sprof_tracepoint_calls_add(&events->calls, event);
	default:
		return sink->event(sink->data, event);
	}
}

static void give(struct sprof_tracepoint_events *events, struct waiting *waiting)
{
	if (waiting->event.type < SPROF_TRACE_TYPES)
		sprof_tracepoint_values_settle(
			&waiting->values, (enum sprof_trace_type)waiting->event.type);
	waiting->event.fields = waiting->values.values;
	if (!give_event(events, &waiting->event))
		events->out_of_memory = true;
}

/* Gives all events from before a moment, in the order of time. */
static void release(struct sprof_tracepoint_events *events, uint64_t until_ns)
{
	size_t given = 0;

	if (events->count)
		qsort(events->items, events->count, sizeof(*events->items), compare);
	while (given < events->count && events->items[given].event.time_ns < until_ns)
		give(events, &events->items[given++]);
	events->count -= given;
	if (given && events->count)
		memmove(events->items, events->items + given,
			events->count * sizeof(*events->items));
}

static bool poll_rings(void *data, uint64_t now_ns)
{
	struct sprof_tracepoint_events *events = data;
	const uint64_t before_ns = events->read_ns;

	know_threads(events);
	events->read_ns = sprof_clock_now_ns();
	sprof_perf_rings_drain(&events->rings, take_record, events);
	release(events, before_ns);
	events->known_ns = before_ns;
	events->next_ns = sprof_clock_now_ns() + POLL_NS;
	return !events->out_of_memory;
}

static uint64_t due_ns(const void *data)
{
	const struct sprof_tracepoint_events *events = data;

	return events->next_ns;
}

static void end(void *data, uint64_t now_ns)
{
	struct sprof_tracepoint_events *events = data;

	sprof_perf_rings_disable(&events->rings);
	know_threads(events);
	sprof_perf_rings_drain(&events->rings, take_record, events);
	release(events, UINT64_MAX);
	if (!sprof_tracepoint_calls_close(&events->calls, now_ns))
		events->out_of_memory = true;
}

struct sprof_event_source sprof_tracepoint_events_source(struct sprof_tracepoint_events *events)
{
	return (struct sprof_event_source){
		.data = events,
		.begin = begin,
		.take = take,
		.due_ns = due_ns,
		.poll = poll_rings,
		.end = end,
	};
}
