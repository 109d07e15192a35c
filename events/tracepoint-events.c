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
#include "events/tracepoints.h"

enum {
	POLL_NS = 5 * SPROF_NS_PER_MS,
	LARGE_RING = 4 << 20, /* for each CPU, where it is permitted */
	TEXT_SIZE = 16,       /* of a comm (TASK_COMM_LEN) */
	TEXTS = 2,
	/* These stand for the type of an event: */
	GAP = SPROF_TRACE_TYPES, /* records were lost */
	ENDED,                   /* the thread has ended */
};

/* Which tracepoint gives which event. */
static const struct description {
	enum sprof_trace_type type;
	const char *group, *name;
	const char *tids[2]; /* whom it is about; none: the thread that runs */
} descriptions[] = {
	{SPROF_TRACE_SYS_ENTER, "raw_syscalls", "sys_enter", {NULL}},
	{SPROF_TRACE_SYS_EXIT, "raw_syscalls", "sys_exit", {NULL}},
	{SPROF_TRACE_SWITCH, "sched", "sched_switch", {"prev_pid", "next_pid"}},
	{SPROF_TRACE_WAKEUP, "sched", "sched_wakeup", {"pid"}},
	{SPROF_TRACE_WAKEUP_NEW, "sched", "sched_wakeup_new", {"pid"}},
	{SPROF_TRACE_WAKING, "sched", "sched_waking", {"pid"}},
	{SPROF_TRACE_MIGRATE, "sched", "sched_migrate_task", {"pid"}},
};

enum { DESCRIPTIONS = sizeof(descriptions) / sizeof(descriptions[0]) };

struct point {
	const struct description *description;
	struct sprof_tracepoint found;
	struct sprof_tracepoint_field
		values[SPROF_TRACE_MAX_VALUES]; /* of a text: its first byte */
	struct sprof_tracepoint_field tids[2];
};

/* An event that waits for its place in the order of time. */
struct waiting {
	struct sprof_trace_event event;
	uint64_t number;
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES];
	char texts[TEXTS][TEXT_SIZE];
};

struct sprof_tracepoint_events {
	struct sprof_tracepoint_events_options options;
	struct sprof_target *target;
	struct sprof_perf_rings rings;
	struct point points[DESCRIPTIONS];
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

static bool find_values(struct point *point)
{
	const struct sprof_trace_type_row *row = sprof_trace_type_row(point->description->type);

	for (size_t i = 0; i < row->field_count; i++) {
		const struct sprof_trace_field *field = &row->fields[i];
		struct sprof_tracepoint_field *value = &point->values[field->index];

		if (!sprof_tracepoint_format_find_elements(point->found.format, field->name,
			    field->kind == SPROF_TRACE_TEXT ? TEXT_SIZE : field->count, value))
			return false;
		for (uint8_t k = 1; k < field->count; k++) {
			value[k] = value[0];
			value[k].offset += k * value[0].size;
		}
	}
	return true;
}

static bool find_tids(struct point *point)
{
	for (size_t i = 0; i < 2 && point->description->tids[i]; i++) {
		if (!sprof_tracepoint_format_find(
			    point->found.format, point->description->tids[i], &point->tids[i]))
			return false;
	}
	return true;
}

static bool is_of_machine(const struct point *point)
{
	return point->description->tids[0];
}

static struct perf_event_attr attributes_of(
	const struct sprof_tracepoint_events *events, const struct point *point)
{
	struct perf_event_attr attributes = sprof_tracepoint_attributes(&point->found);

	attributes.inherit = !is_of_machine(point);
	attributes.inherit_thread = attributes.inherit && !events->options.follow_children;
	return attributes;
}

/* Asks with an event of our own, before anything is traced. */
static bool is_permitted(const struct sprof_tracepoint_events *events, const struct point *point,
	struct sprof_perf_denial *ret_denial)
{
	struct perf_event_attr attributes = attributes_of(events, point);
	int fd = sprof_perf_open(&attributes, is_of_machine(point) ? -1 : 0,
		is_of_machine(point) ? events->rings.cpus.items[0] : -1, ret_denial);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool add_point(struct sprof_tracepoint_events *events, const struct description *description,
	struct sprof_perf_denial *ret_denial)
{
	struct point *point = &events->points[events->point_count++];

	point->description = description;
	if (!sprof_tracepoint_find(
		    description->group, description->name, &point->found, ret_denial))
		return false;
	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_UNSUPPORTED, 0};
	return sprof_tracepoint_format_find(point->found.format, "common_type", &events->type) &&
		find_values(point) && find_tids(point) && is_permitted(events, point, ret_denial);
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
	for (size_t i = 0; i < DESCRIPTIONS; i++) {
		if (is_wanted(events->options.types, descriptions[i].type) &&
			!add_point(events, &descriptions[i], ret_denial))
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

static bool watch_machine(struct sprof_tracepoint_events *events, const struct point *point)
{
	struct perf_event_attr attributes = attributes_of(events, point);
	struct sprof_perf_denial denial;

	return sprof_perf_rings_add(&events->rings, &attributes, -1, &denial);
}

static void watch_threads(struct sprof_tracepoint_events *events, const struct point *point)
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
		const struct point *point = &events->points[i];

		if (!is_of_machine(point))
			watch_threads(events, point);
		else if (!watch_machine(events, point))
			events->unwatched++;
	}
	events->read_ns = events->known_ns = sprof_clock_now_ns();
	events->next_ns = events->read_ns + POLL_NS;
}

static const struct point *point_of(
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

static bool is_ours(const struct sprof_tracepoint_events *events, const struct point *point,
	const struct sprof_perf_record *record)
{
	int64_t tid;

	for (size_t i = 0; i < 2 && point->description->tids[i]; i++) {
		if (sprof_tracepoint_field_read(
			    &point->tids[i], record->raw, record->raw_size, &tid) &&
			sprof_idmap_find(&events->threads, 0, (uint64_t)tid) != SPROF_IDMAP_NONE)
			return true;
	}
	return !is_of_machine(point);
}

static void read_text(const struct sprof_tracepoint_field *field,
	const struct sprof_perf_record *record, char *text)
{
	size_t size = TEXT_SIZE - 1;

	if (field->offset + size > record->raw_size)
		size = field->offset < record->raw_size ? record->raw_size - field->offset : 0;
	memcpy(text, (const char *)record->raw + field->offset, size);
	text[size] = '\0';
}

/* Texts are found again when the event is given: until then it moves. */
static void read_values(
	const struct point *point, const struct sprof_perf_record *record, struct waiting *waiting)
{
	const struct sprof_trace_type_row *row = sprof_trace_type_row(point->description->type);
	size_t texts = 0;

	for (size_t i = 0; i < row->field_count; i++) {
		const struct sprof_trace_field *field = &row->fields[i];

		if (field->kind == SPROF_TRACE_TEXT) {
			read_text(&point->values[field->index], record, waiting->texts[texts++]);
			continue;
		}
		for (uint8_t k = field->index; k < field->index + field->count; k++) {
			if (!sprof_tracepoint_field_read(&point->values[k], record->raw,
				    record->raw_size, &waiting->values[k].integer))
				waiting->values[k].integer = 0;
		}
	}
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
	const struct point *point;
	struct waiting *waiting;

	if (record->kind == SPROF_PERF_LOST)
		append_record(events, GAP, record);
	point = record->kind == SPROF_PERF_SAMPLE ? point_of(events, record) : NULL;
	if (!point || !is_ours(events, point, record))
		return;
	waiting = append_record(events, point->description->type, record);
	if (waiting)
		read_values(point, record, waiting);
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

/* What waits has moved, and its texts with it. */
static void find_texts(struct waiting *waiting)
{
	const struct sprof_trace_type_row *row =
		sprof_trace_type_row((enum sprof_trace_type)waiting->event.type);
	size_t texts = 0;

	for (size_t i = 0; i < row->field_count; i++) {
		if (row->fields[i].kind == SPROF_TRACE_TEXT)
			waiting->values[row->fields[i].index].text = waiting->texts[texts++];
	}
}

static void give(struct sprof_tracepoint_events *events, struct waiting *waiting)
{
	if (waiting->event.type < SPROF_TRACE_TYPES)
		find_texts(waiting);
	waiting->event.fields = waiting->values;
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
