/*
 * A map from position and key to open events, which are also linked in order of arrival. This is
 * the order of time, so the overdue events are a prefix of the list. Does not limit their number:
 * the caller checks `count`.
 */
#include "events/pairs/open-events.h"

#include <stdlib.h>

#include "base/array.h"

void sprof_open_events_init(struct sprof_open_events *open)
{
	*open = (struct sprof_open_events){
		.oldest = SPROF_OPEN_NONE,
		.newest = SPROF_OPEN_NONE,
		.free = SPROF_OPEN_NONE,
		.unseen = SPROF_OPEN_NONE,
	};
}

uint32_t sprof_open_events_find(const struct sprof_open_events *open, size_t position, int64_t key)
{
	/* The map's value for "not there" is SPROF_OPEN_NONE too. */
	return sprof_idmap_find(&open->by_key, position, (uint64_t)key);
}

static bool take_place(struct sprof_open_events *open, uint32_t *ret)
{
	if (open->free != SPROF_OPEN_NONE) {
		*ret = open->free;
		open->free = open->items[open->free].newer;
		return true;
	}
	if (!sprof_array_reserve(
		    &open->items, &open->capacity, open->used + 1, sizeof(open->items[0])))
		return false;
	*ret = (uint32_t)open->used++;
	return true;
}

static void give_place(struct sprof_open_events *open, uint32_t index)
{
	open->items[index].newer = open->free;
	open->free = index;
}

static void link_newest(struct sprof_open_events *open, uint32_t index)
{
	open->items[index].older = open->newest;
	open->items[index].newer = SPROF_OPEN_NONE;
	if (open->newest != SPROF_OPEN_NONE)
		open->items[open->newest].newer = index;
	else
		open->oldest = index;
	open->newest = index;
	if (open->unseen == SPROF_OPEN_NONE)
		open->unseen = index;
	open->count++;
}

static void unlink_event(struct sprof_open_events *open, uint32_t index)
{
	uint32_t older = open->items[index].older, newer = open->items[index].newer;

	if (open->unseen == index)
		open->unseen = newer;
	if (older != SPROF_OPEN_NONE)
		open->items[older].newer = newer;
	else
		open->oldest = newer;
	if (newer != SPROF_OPEN_NONE)
		open->items[newer].older = older;
	else
		open->newest = older;
	open->count--;
}

bool sprof_open_events_add(struct sprof_open_events *open, const struct sprof_trace_side *side)
{
	struct sprof_trace_event *copy = sprof_trace_event_copy(side->event);
	uint32_t index;

	if (!copy)
		return false;
	if (!take_place(open, &index)) {
		free(copy);
		return false;
	}
	if (!sprof_idmap_put(&open->by_key, side->item->position, (uint64_t)side->key, index)) {
		give_place(open, index);
		free(copy);
		return false;
	}
	open->items[index].side = *side;
	open->items[index].side.event = copy;
	link_newest(open, index);
	return true;
}

void sprof_open_events_remove(struct sprof_open_events *open, uint32_t index)
{
	struct sprof_trace_side *side = &open->items[index].side;

	sprof_idmap_remove(&open->by_key, side->item->position, (uint64_t)side->key);
	unlink_event(open, index);
	free((void *)side->event);
	give_place(open, index);
}

void sprof_open_events_overdue(struct sprof_open_events *open, uint64_t now_ns, uint64_t than_ns,
	bool (*visit)(void *context, const struct sprof_trace_side *side), void *context)
{
	while (open->unseen != SPROF_OPEN_NONE) {
		const struct sprof_open_event *item = &open->items[open->unseen];
		const uint64_t time_ns = item->side.event->time_ns;

		if (now_ns <= time_ns || now_ns - time_ns <= than_ns)
			return;
		open->unseen = item->newer;
		if (!visit(context, &item->side))
			return;
	}
}

uint64_t sprof_open_events_oldest_ns(const struct sprof_open_events *open)
{
	return open->oldest == SPROF_OPEN_NONE ? UINT64_MAX
					       : open->items[open->oldest].side.event->time_ns;
}

void sprof_open_events_finish(struct sprof_open_events *open)
{
	while (open->oldest != SPROF_OPEN_NONE)
		sprof_open_events_remove(open, open->oldest);
	free(open->items);
	sprof_idmap_finish(&open->by_key);
	sprof_open_events_init(open);
}
