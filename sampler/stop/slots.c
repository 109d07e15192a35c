/*
 * Slots: a table of threads to stop, with room for a copy of each one's stack. Does not stop
 * threads or choose their order.
 */
#include "sampler/stop/slots.h"

#include <stdlib.h>

#include "base/array.h"

void sprof_slots_finish(struct slots *slots)
{
	for (size_t i = 0; i < slots->capacity; i++)
		sprof_copy_buffer_finish(&slots->items[i].buffer);
	free(slots->items);
	sprof_copy_buffer_finish(&slots->spare.buffer);
}

static void begin(struct slot *slot, const struct ask *ask, enum slot_phase phase)
{
	slot->ask = *ask;
	slot->phase = phase;
	slot->near = slot->may_visit = slot->awaited = slot->has_reading = false;
}

bool sprof_slots_add(struct slots *slots, const struct sprof_world *world, const struct ask *ask)
{
	const struct copy_plan *plan = &ask->thread->sampling->copy;
	bool is_asked = ask->thread->phase == SPROF_THREAD_INTERRUPTED;
	struct slot *slot;

	sprof_copy_plan_expect(ask->thread);
	if (!sprof_copy_reserve(&slots->spare.buffer, plan) ||
		!sprof_array_reserve(
			&slots->items, &slots->capacity, slots->count + 1, sizeof(*slots->items)) ||
		!sprof_copy_reserve(&slots->items[slots->count].buffer, plan))
		return false;
	slot = &slots->items[slots->count++];
	begin(slot, ask, is_asked ? SLOT_QUEUED : SLOT_PLANNED);
	return sprof_interpreted_prepare(world, ask->thread, &slot->buffer) &&
		sprof_interpreted_prepare(world, ask->thread, &slots->spare.buffer);
}

struct slot *sprof_slots_find(const struct slots *slots, const struct sprof_thread *thread)
{
	for (size_t i = 0; i < slots->count; i++) {
		if (slots->items[i].ask.thread == thread)
			return &slots->items[i];
	}
	return NULL;
}

struct slot *sprof_slots_use_spare(struct slots *slots, const struct ask *ask)
{
	struct slot *slot = &slots->spare;

	if (slot->ask.thread || !sprof_copy_has_room(&slot->buffer, &ask->thread->sampling->copy))
		return NULL;
	begin(slot, ask, SLOT_QUEUED);
	return slot;
}

bool sprof_slot_group_has(const struct slot_group *group, const struct slot *slot)
{
	return slot >= group->first && slot < group->last;
}

bool sprof_slot_group_is_awaited(const struct slot_group *group)
{
	for (const struct slot *slot = group->first; slot < group->last; slot++) {
		if (slot->awaited)
			return true;
	}
	return false;
}

bool sprof_slot_group_is_asked(const struct slot_group *group)
{
	for (const struct slot *slot = group->first; slot < group->last; slot++) {
		if (slot->phase == SLOT_ASKED)
			return true;
	}
	return false;
}

void sprof_slot_group_queue_rest(const struct slot_group *group)
{
	for (struct slot *slot = group->first; slot < group->last; slot++) {
		if (slot->phase == SLOT_ASKED)
			slot->phase = SLOT_QUEUED;
	}
}

void sprof_slot_group_give_up(const struct slot_group *group)
{
	sprof_slot_group_queue_rest(group);
	for (struct slot *slot = group->first; slot < group->last; slot++)
		slot->awaited = false;
}
