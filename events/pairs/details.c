/*
 * Selects the events in an instance's window, chooses which to show, and counts the others. An
 * instance is kept until its window after event2 has passed. The events are copied into a ring,
 * which grows up to max_bytes; they must be added in order of time. Does not format lines.
 */
#include "events/pairs/details.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/numbers.h"
#include "base/search.h"

/* Set max_bytes; the rest zeroed is empty and valid. */
struct event_ring {
	struct sprof_trace_side *items; /* hold copies of the events */
	size_t first, count, capacity;  /* capacity is 0 or a power of two */
	size_t bytes, max_bytes;
	uint64_t evicted;    /* events dropped because the ring was full */
	uint64_t evicted_ns; /* time of the last dropped event */
};

struct sprof_details {
	struct sprof_details_options options;
	struct sprof_details_listener listener;
	struct event_ring ring;
	/* Instances that wait, by the time of their event2; their events are copies. */
	struct sprof_trace_instance *waiting;
	size_t first, count, capacity;
	uint64_t waiting_ns; /* the oldest time of their event1; UINT64_MAX: none */
};

/* One instance on its way to the listener. */
struct showing {
	const struct sprof_details *details;
	const struct sprof_trace_instance *instance;
	uint64_t shown_ns; /* the time of the last line */
	uint64_t hidden;   /* since then */
};

enum { FIRST_CAPACITY = 64 };

static struct sprof_trace_side *place(const struct event_ring *ring, size_t index)
{
	return &ring->items[(ring->first + index) & (ring->capacity - 1)];
}

static size_t size_of(const struct sprof_trace_event *event)
{
	return sprof_trace_event_copy_size(event) + sizeof(struct sprof_trace_side);
}

static void drop_oldest(struct event_ring *ring)
{
	struct sprof_trace_side *side = place(ring, 0);

	ring->bytes -= size_of(side->event);
	free((void *)side->event);
	ring->first = (ring->first + 1) & (ring->capacity - 1);
	ring->count--;
}

static bool grow(struct event_ring *ring)
{
	size_t capacity = ring->capacity ? ring->capacity * 2 : FIRST_CAPACITY;
	struct sprof_trace_side *items;

	if (ring->count < ring->capacity)
		return true;
	items = malloc(capacity * sizeof(*items));
	if (!items)
		return false;
	for (size_t i = 0; i < ring->count; i++)
		items[i] = *place(ring, i);
	free(ring->items);
	ring->items = items;
	ring->first = 0;
	ring->capacity = capacity;
	return true;
}

/* Appends a copy; drops the oldest events if the ring is full. Returns false if out of memory. */
static bool event_ring_add(struct event_ring *ring, const struct sprof_trace_side *side)
{
	struct sprof_trace_event *copy;

	while (ring->count && ring->bytes + size_of(side->event) > ring->max_bytes) {
		ring->evicted++;
		ring->evicted_ns = place(ring, 0)->event->time_ns;
		drop_oldest(ring);
	}
	if (!grow(ring))
		return false;
	copy = sprof_trace_event_copy(side->event);
	if (!copy)
		return false;
	*place(ring, ring->count) = *side;
	place(ring, ring->count)->event = copy;
	ring->count++;
	ring->bytes += size_of(copy);
	return true;
}

/* Drops the events before time_ns. */
static void event_ring_trim(struct event_ring *ring, uint64_t time_ns)
{
	while (ring->count && place(ring, 0)->event->time_ns < time_ns)
		drop_oldest(ring);
}

/* The event at an index; 0 is the oldest. */
static const struct sprof_trace_side *event_ring_at(const struct event_ring *ring, size_t index)
{
	return place(ring, index);
}

struct event_search {
	const struct event_ring *ring;
	uint64_t time_ns;
};

static bool is_earlier(const void *search, size_t index)
{
	const struct event_search *wanted = search;

	return place(wanted->ring, index)->event->time_ns < wanted->time_ns;
}

/* The index of the first event at or after time_ns; `count` if there is none. */
static size_t event_ring_find(const struct event_ring *ring, uint64_t time_ns)
{
	const struct event_search search = {ring, time_ns};

	return sprof_first_index(ring->count, is_earlier, &search);
}

static void event_ring_finish(struct event_ring *ring)
{
	while (ring->count)
		drop_oldest(ring);
	free(ring->items);
	*ring = (struct event_ring){.max_bytes = ring->max_bytes};
}

struct sprof_details *sprof_details_create(
	const struct sprof_details_options *options, const struct sprof_details_listener *listener)
{
	struct sprof_details *details = calloc(1, sizeof(*details));

	if (!details)
		return NULL;
	details->options = *options;
	details->listener = *listener;
	details->waiting_ns = UINT64_MAX;
	details->ring.max_bytes = options->max_bytes ? options->max_bytes : SPROF_DETAILS_MAX_BYTES;
	return details;
}

static void free_instance(struct sprof_trace_instance *instance)
{
	free((void *)instance->event1.event);
	free((void *)instance->event2.event);
}

void sprof_details_destroy(struct sprof_details *details)
{
	if (!details)
		return;
	for (size_t i = details->first; i < details->count; i++)
		free_instance(&details->waiting[i]);
	free(details->waiting);
	event_ring_finish(&details->ring);
	free(details);
}

/* Whether the event agrees with an event of the instance in all requested properties. */
static bool is_same(const struct sprof_details_options *options,
	const struct sprof_trace_side *side, const struct sprof_trace_side *with)
{
	return (!options->same_cpu || side->event->cpu == with->event->cpu) &&
		(!options->same_pid || side->event->pid == with->event->pid) &&
		(!options->same_tid || side->event->tid == with->event->tid) &&
		(!options->same_key || side->key == with->key);
}

static bool is_wanted(const struct showing *showing, const struct sprof_trace_side *side)
{
	const struct sprof_details_options *options = &showing->details->options;
	const struct sprof_trace_instance *instance = showing->instance;

	/* Without event2 there is only event1 to compare with. */
	if (!instance->event2.event)
		return is_same(options, side, &instance->event1);
	return (!options->not_event1 && is_same(options, side, &instance->event1)) ||
		(!options->not_event2 && is_same(options, side, &instance->event2));
}

static void show(struct showing *showing, struct sprof_details_line *line)
{
	const struct sprof_details_listener *listener = &showing->details->listener;

	line->hidden = showing->hidden;
	listener->line(listener->context, showing->instance, line);
	showing->hidden = 0;
	if (line->side)
		showing->shown_ns = line->side->event->time_ns;
}

static void show_event1(struct showing *showing)
{
	const struct event_ring *ring = &showing->details->ring;
	const struct sprof_trace_side *side = &showing->instance->event1;
	struct sprof_details_line line = {.kind = SPROF_DETAILS_EVENT1, .side = side};

	line.incomplete = ring->evicted &&
		ring->evicted_ns >=
			sprof_minus(side->event->time_ns, showing->details->options.before_ns);
	show(showing, &line);
}

static void show_event2(struct showing *showing)
{
	const struct sprof_trace_side *side = &showing->instance->event2;

	show(showing,
		&(struct sprof_details_line){
			.kind = SPROF_DETAILS_EVENT2,
			.side = side,
			.distance_ns = side->event->time_ns - showing->shown_ns,
		});
}

/* Shows an event that is neither event1 nor event2. */
static void show_other(
	struct showing *showing, const struct sprof_trace_side *side, enum sprof_details_kind kind)
{
	const struct sprof_trace_instance *instance = showing->instance;
	uint64_t time_ns = side->event->time_ns, distance = sprof_minus(time_ns, showing->shown_ns);

	if (!is_wanted(showing, side) ||
		(kind == SPROF_DETAILS_BETWEEN && distance < showing->details->options.hide_ns)) {
		showing->hidden++;
		return;
	}
	if (kind == SPROF_DETAILS_BEFORE)
		distance = instance->event1.event->time_ns - time_ns;
	else if (kind == SPROF_DETAILS_AFTER)
		distance = time_ns - instance->event2.event->time_ns;
	show(showing,
		&(struct sprof_details_line){.kind = kind, .side = side, .distance_ns = distance});
}

/* Shows the ring's events from index `at` with numbers below `sequence`. Returns the index after
 * them. */
static size_t show_until(
	struct showing *showing, size_t at, uint64_t sequence, enum sprof_details_kind kind)
{
	const struct event_ring *ring = &showing->details->ring;

	for (; at < ring->count && event_ring_at(ring, at)->sequence < sequence; at++)
		show_other(showing, event_ring_at(ring, at), kind);
	/* The event with that number gets a separate line. */
	return at + (at < ring->count && event_ring_at(ring, at)->sequence == sequence);
}

/* Shows event2 and what follows; `at` is the ring index after event1. */
static void show_rest(struct showing *showing, size_t at)
{
	const struct event_ring *ring = &showing->details->ring;
	const struct sprof_trace_side *event2 = &showing->instance->event2;
	uint64_t after_ns = showing->details->options.after_ns;

	at = show_until(showing, at, event2->sequence, SPROF_DETAILS_BETWEEN);
	show_event2(showing);
	for (; after_ns && at < ring->count; at++) {
		const struct sprof_trace_side *side = event_ring_at(ring, at);

		if (side->event->time_ns > sprof_plus(event2->event->time_ns, after_ns))
			break;
		show_other(showing, side, SPROF_DETAILS_AFTER);
	}
}

static void show_instance(
	const struct sprof_details *details, const struct sprof_trace_instance *instance)
{
	struct showing showing = {.details = details, .instance = instance};
	uint64_t begin = sprof_minus(instance->event1.event->time_ns, details->options.before_ns);
	size_t at = event_ring_find(&details->ring, begin);

	at = show_until(&showing, at, instance->event1.sequence, SPROF_DETAILS_BEFORE);
	show_event1(&showing);
	if (instance->event2.event)
		show_rest(&showing, at);
	else
		show_until(&showing, at, UINT64_MAX, SPROF_DETAILS_BETWEEN);
	show(&showing, &(struct sprof_details_line){.kind = SPROF_DETAILS_END});
}

bool sprof_details_add(
	struct sprof_details *details, const struct sprof_trace_side *side, uint64_t oldest_ns)
{
	/* This event may become the event1 of an instance, too. */
	uint64_t needed_ns = side->event->time_ns;

	sprof_details_flush(details, side->event->time_ns);
	if (oldest_ns < needed_ns)
		needed_ns = oldest_ns;
	if (details->waiting_ns < needed_ns)
		needed_ns = details->waiting_ns;
	event_ring_trim(&details->ring, sprof_minus(needed_ns, details->options.before_ns));
	return event_ring_add(&details->ring, side);
}

/* Moves the waiting ones to the front of the array, if most of it is used up. */
static void compact(struct sprof_details *details)
{
	if (details->first < 64 || details->first < details->count / 2)
		return;
	details->count -= details->first;
	for (size_t i = 0; i < details->count; i++)
		details->waiting[i] = details->waiting[details->first + i];
	details->first = 0;
}

bool sprof_details_request(
	struct sprof_details *details, const struct sprof_trace_instance *instance)
{
	struct sprof_trace_instance copy = *instance;

	if (!details->options.after_ns || !instance->event2.event) {
		show_instance(details, instance);
		return true;
	}
	compact(details);
	if (!sprof_array_reserve(&details->waiting, &details->capacity, details->count + 1,
		    sizeof(details->waiting[0])))
		return false;
	copy.event1.event = sprof_trace_event_copy(instance->event1.event);
	copy.event2.event = sprof_trace_event_copy(instance->event2.event);
	if (!copy.event1.event || !copy.event2.event) {
		free_instance(&copy);
		return false;
	}
	details->waiting[details->count++] = copy;
	if (copy.event1.event->time_ns < details->waiting_ns)
		details->waiting_ns = copy.event1.event->time_ns;
	return true;
}

/* Removes the first waiting instance. */
static void end_wait(struct sprof_details *details)
{
	struct sprof_trace_instance *instance = &details->waiting[details->first++];
	bool was_oldest = instance->event1.event->time_ns == details->waiting_ns;

	free_instance(instance);
	if (!was_oldest)
		return;
	details->waiting_ns = UINT64_MAX;
	for (size_t i = details->first; i < details->count; i++) {
		uint64_t time_ns = details->waiting[i].event1.event->time_ns;

		if (time_ns < details->waiting_ns)
			details->waiting_ns = time_ns;
	}
}

void sprof_details_flush(struct sprof_details *details, uint64_t now_ns)
{
	while (details->first < details->count) {
		const struct sprof_trace_instance *instance = &details->waiting[details->first];
		uint64_t end =
			sprof_plus(instance->event2.event->time_ns, details->options.after_ns);

		if (now_ns != UINT64_MAX && end >= now_ns)
			return;
		show_instance(details, instance);
		end_wait(details);
	}
	details->first = 0;
	details->count = 0;
}

size_t sprof_details_bytes(const struct sprof_details *details)
{
	return details->ring.bytes;
}

uint64_t sprof_details_evicted(const struct sprof_details *details)
{
	return details->ring.evicted;
}
