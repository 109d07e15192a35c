/*
 * Pairs events: a stream of events in, instances out. An event is used as event2 in all positions
 * first, and then as event1, so it never closes an instance that it opened itself. Does not sort
 * events.
 */
#include "events/pairs/pairs.h"

#include <stdlib.h>

#include "events/pairs/open-events.h"

enum { EVENT1 = 1, EVENT2 = 2 };

struct sprof_pairs {
	struct sprof_pairs_options options;
	struct sprof_pairs_counts counts;
	struct sprof_open_events open;
};

/* The matching item of one event per position. */
struct match {
	const struct sprof_event_item *first;                        /* NULL: no item matches */
	const struct sprof_event_item *items[SPROF_EVENT_POSITIONS]; /* the traced ones */
	bool trigger;
};

struct sprof_pairs *sprof_pairs_create(const struct sprof_pairs_options *options)
{
	struct sprof_pairs *pairs = calloc(1, sizeof(*pairs));

	if (!pairs)
		return NULL;
	pairs->options = *options;
	if (!pairs->options.max_open)
		pairs->options.max_open = SPROF_PAIRS_MAX_OPEN;
	sprof_open_events_init(&pairs->open);
	return pairs;
}

void sprof_pairs_destroy(struct sprof_pairs *pairs)
{
	if (!pairs)
		return;
	sprof_open_events_finish(&pairs->open);
	free(pairs);
}

static struct sprof_expression_frame frame_of(
	const struct sprof_pairs *pairs, const struct sprof_trace_event *event)
{
	return (struct sprof_expression_frame){.event = event, .lookup = pairs->options.lookup};
}

/* Finds the first matching traced item per position: a comma separates alternatives. */
static void match_event(
	const struct sprof_pairs *pairs, const struct sprof_trace_event *event, struct match *match)
{
	const struct sprof_event_list *list = pairs->options.list;
	struct sprof_expression_frame frame = frame_of(pairs, event);

	*match = (struct match){0};
	for (size_t i = 0; i < list->count; i++) {
		const struct sprof_event_item *item = &list->items[i];
		const struct sprof_event_item **place = &match->items[item->position];

		if ((*place && !item->trigger) || !sprof_event_item_matches(item, &frame))
			continue;
		if (!match->first)
			match->first = item;
		match->trigger |= item->trigger;
		if (!*place && !item->untraced)
			*place = item;
	}
}

/* A thread's events belong together. Those that aren't the target's have no id but the kernel's. */
static int64_t thread_key(const struct sprof_trace_event *event)
{
	return event->thread == SPROF_TRACE_FOREIGN ? INT64_C(1) << 32 | event->tid : event->thread;
}

struct sprof_trace_side sprof_trace_side_of(const struct sprof_pairs_options *options,
	const struct sprof_trace_event *event, const struct sprof_event_item *item,
	uint64_t sequence)
{
	struct sprof_expression_frame frame = {.event = event, .lookup = options->lookup};

	return (struct sprof_trace_side){
		.event = event,
		.item = item,
		.key = item->key ? sprof_expression_integer(item->key, &frame) : thread_key(event),
		.sequence = sequence,
	};
}

enum {
	SCHEDULING = 1 << SPROF_TRACE_SWITCH | 1 << SPROF_TRACE_WAKEUP | 1 << SPROF_TRACE_WAKING |
		1 << SPROF_TRACE_WAKEUP_NEW | 1 << SPROF_TRACE_MIGRATE,
};

bool sprof_trace_side_is_foreign(
	const struct sprof_pairs_options *options, const struct sprof_trace_side *side)
{
	const struct sprof_pairs_listener *listener = &options->listener;
	const struct sprof_event_item *item = side->item;

	if (!listener->owns || !(SCHEDULING >> item->row->type & 1) ||
		(item->filter && sprof_expression_has_tid(item->filter)))
		return false;
	if (!item->key)
		return side->event->thread == SPROF_TRACE_FOREIGN;
	return sprof_expression_is_tid(item->key) && !listener->owns(listener->context, side->key);
}

static struct sprof_trace_side side_of(const struct sprof_pairs *pairs,
	const struct sprof_trace_event *event, const struct sprof_event_item *item)
{
	return sprof_trace_side_of(&pairs->options, event, item, pairs->counts.events);
}

/* The roles that the event may have in its item's position, as bits. */
static unsigned roles_of(const struct sprof_pairs *pairs, const struct sprof_trace_event *event,
	const struct sprof_event_item *item)
{
	struct sprof_expression_frame frame = frame_of(pairs, event);
	bool cycle = pairs->options.cycle;
	unsigned roles = 0;

	if (cycle || item->position + 1 < pairs->options.list->position_count)
		roles |= EVENT1;
	if (cycle || item->position)
		roles |= EVENT2;
	if (item->role)
		roles &= (unsigned)sprof_expression_integer(item->role, &frame);
	return roles;
}

static void pass_unpaired(
	struct sprof_pairs *pairs, const struct sprof_trace_side *side, enum sprof_unpaired reason)
{
	const struct sprof_pairs_listener *listener = &pairs->options.listener;

	if (listener->unpaired)
		listener->unpaired(listener->context, side, reason);
}

/* Reports and forgets an event1. */
static void drop(struct sprof_pairs *pairs, uint32_t index, enum sprof_unpaired reason)
{
	pass_unpaired(pairs, &pairs->open.items[index].side, reason);
	sprof_open_events_remove(&pairs->open, index);
}

struct sprof_trace_instance sprof_trace_instance_of(const struct sprof_pairs_options *options,
	const struct sprof_trace_side *event1, const struct sprof_trace_side *event2)
{
	const uint64_t latency = event2->event->time_ns - event1->event->time_ns;

	return (struct sprof_trace_instance){
		.event1 = *event1,
		.event2 = *event2,
		.latency_ns = latency,
		.over = options->has_than && latency > options->than_ns,
		.under = options->has_lower && latency < options->lower_ns,
	};
}

static void pass_instance(struct sprof_pairs *pairs, const struct sprof_trace_side *event1,
	const struct sprof_trace_side *event2)
{
	const struct sprof_pairs_options *options = &pairs->options;
	const struct sprof_trace_instance instance =
		sprof_trace_instance_of(options, event1, event2);

	pairs->counts.instances++;
	if (options->listener.instance)
		options->listener.instance(options->listener.context, &instance);
}

/* Closes the instance that this event ends. */
static void act_as_event2(struct sprof_pairs *pairs, const struct sprof_trace_side *side)
{
	size_t count = pairs->options.list->position_count;
	size_t before = (side->item->position + count - 1) % count;
	uint32_t index = sprof_open_events_find(&pairs->open, before, side->key);
	const struct sprof_trace_side *event1;

	if (index == SPROF_OPEN_NONE) {
		pairs->counts.second++;
		pass_unpaired(pairs, side, SPROF_UNPAIRED_SECOND);
		return;
	}
	event1 = &pairs->open.items[index].side;
	if (side->event->time_ns <= event1->event->time_ns) {
		pairs->counts.not_later++;
		return;
	}
	pass_instance(pairs, event1, side);
	sprof_open_events_remove(&pairs->open, index);
}

/* Opens an instance. Returns false if out of memory. */
static bool act_as_event1(struct sprof_pairs *pairs, const struct sprof_trace_side *side)
{
	uint32_t index = sprof_open_events_find(&pairs->open, side->item->position, side->key);

	if (index != SPROF_OPEN_NONE) {
		pairs->counts.replaced++;
		drop(pairs, index, SPROF_UNPAIRED_REPLACED);
	}
	if (pairs->open.count >= pairs->options.max_open) {
		pairs->counts.overflows++;
		return true;
	}
	return sprof_open_events_add(&pairs->open, side);
}

/* Lets the event act in each position as `role`. */
static bool act(struct sprof_pairs *pairs, const struct sprof_trace_event *event,
	const struct match *match, unsigned role)
{
	for (size_t i = 0; i < pairs->options.list->position_count; i++) {
		const struct sprof_event_item *item = match->items[i];
		struct sprof_trace_side side;

		if (!item || !(roles_of(pairs, event, item) & role))
			continue;
		side = side_of(pairs, event, item);
		if (sprof_trace_side_is_foreign(&pairs->options, &side))
			continue;
		if (role == EVENT2)
			act_as_event2(pairs, &side);
		else if (!act_as_event1(pairs, &side))
			return false;
	}
	return true;
}

bool sprof_pairs_add(
	struct sprof_pairs *pairs, const struct sprof_trace_event *event, bool *ret_trigger)
{
	const struct sprof_pairs_listener *listener = &pairs->options.listener;
	struct match match;

	match_event(pairs, event, &match);
	*ret_trigger = match.trigger;
	if (!match.first)
		return true;
	pairs->counts.events++;
	if (listener->event) {
		struct sprof_trace_side side = side_of(pairs, event, match.first);

		listener->event(listener->context, &side);
	}
	return act(pairs, event, &match, EVENT2) && act(pairs, event, &match, EVENT1);
}

void sprof_pairs_gap(struct sprof_pairs *pairs, uint64_t end_ns)
{
	struct sprof_open_events *open = &pairs->open;

	while (open->oldest != SPROF_OPEN_NONE &&
		open->items[open->oldest].side.event->time_ns < end_ns) {
		pairs->counts.gaps++;
		drop(pairs, open->oldest, SPROF_UNPAIRED_GAP);
	}
}

void sprof_pairs_close(struct sprof_pairs *pairs)
{
	while (pairs->open.oldest != SPROF_OPEN_NONE) {
		pairs->counts.open++;
		drop(pairs, pairs->open.oldest, SPROF_UNPAIRED_OPEN);
	}
}

void sprof_pairs_overdue(struct sprof_pairs *pairs, uint64_t now_ns, uint64_t than_ns,
	bool (*visit)(void *context, const struct sprof_trace_side *side), void *context)
{
	sprof_open_events_overdue(&pairs->open, now_ns, than_ns, visit, context);
}

uint64_t sprof_pairs_oldest_ns(const struct sprof_pairs *pairs)
{
	return sprof_open_events_oldest_ns(&pairs->open);
}

size_t sprof_pairs_open(const struct sprof_pairs *pairs)
{
	return pairs->open.count;
}

const struct sprof_pairs_counts *sprof_pairs_counts(const struct sprof_pairs *pairs)
{
	return &pairs->counts;
}
