/* Numbers stacks, and counts unpaired events by stack. Does not walk or name stacks. */
#include "cmd/trace/stacks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "output/frames.h"

void sprof_trace_stacks_finish(struct sprof_trace_stacks *stacks)
{
	sprof_idmap_finish(&stacks->numbers);
	sprof_idmap_finish(&stacks->lonely_index);
	free(stacks->ids);
	free(stacks->lonely);
}

unsigned sprof_trace_stacks_number(struct sprof_trace_stacks *stacks, uint32_t stack)
{
	uint32_t index;

	if (stack == SPROF_PROFILE_ROOT)
		return 0;
	index = sprof_idmap_find(&stacks->numbers, 0, stack);
	if (index != SPROF_IDMAP_NONE)
		return index + 1;
	if (!sprof_array_reserve(
		    &stacks->ids, &stacks->capacity, stacks->count + 1, sizeof(*stacks->ids)) ||
		!sprof_idmap_put(&stacks->numbers, 0, stack, (uint32_t)stacks->count)) {
		stacks->out_of_memory = true;
		return 0;
	}
	stacks->ids[stacks->count++] = stack;
	return (unsigned)stacks->count;
}

static struct sprof_thread *find_thread(const struct sprof_trace_stacks *stacks, uint32_t id)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(stacks->target, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->id == id)
			return threads[i];
	}
	return NULL;
}

uint32_t sprof_trace_stacks_peek(struct sprof_trace_stacks *stacks, uint32_t thread)
{
	const struct sprof_event_stacks *source = stacks->source;
	struct sprof_thread *found = source ? find_thread(stacks, thread) : NULL;
	uint32_t stack = 0;

	if (!found)
		return 0;
	if (!source->expect(source->data, found) ||
		(source->peek(source->data, found) && !source->walk(source->data, &stack)))
		stacks->out_of_memory = true;
	return stack;
}

void sprof_trace_stacks_count(
	struct sprof_trace_stacks *stacks, const struct sprof_trace_side *side, bool is_second)
{
	const uint32_t stack = (uint32_t)side->event->stack;
	const uint64_t place = side->item->index << 1 | is_second;
	uint32_t index = sprof_idmap_find(&stacks->lonely_index, place, stack);

	if (!stack)
		return;
	if (index == SPROF_IDMAP_NONE) {
		index = (uint32_t)stacks->lonely_count;
		if (!sprof_array_reserve(&stacks->lonely, &stacks->lonely_capacity,
			    stacks->lonely_count + 1, sizeof(*stacks->lonely)) ||
			!sprof_idmap_put(&stacks->lonely_index, place, stack, index)) {
			stacks->out_of_memory = true;
			return;
		}
		stacks->lonely[stacks->lonely_count++] = (struct sprof_trace_lonely){
			.item = side->item, .is_second = is_second, .stack = stack};
	}
	stacks->lonely[index].count++;
}

void sprof_trace_stacks_write_lonely(struct sprof_trace_stacks *stacks,
	const struct sprof_event_item *item, bool is_second, struct sprof_out *out)
{
	for (size_t i = 0; i < stacks->lonely_count; i++) {
		const struct sprof_trace_lonely *lonely = &stacks->lonely[i];

		if (lonely->item == item && lonely->is_second == is_second)
			sprof_out_printf(out, "  %" PRIu64 " from stack %u\n", lonely->count,
				sprof_trace_stacks_number(stacks, lonely->stack));
	}
}

/* The most frames that any event of the list asks for; 0: all. */
static size_t most_frames(const struct sprof_event_list *list)
{
	size_t most = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct sprof_event_item *item = &list->items[i];

		if (item->stack && !item->max_stack)
			return 0;
		if (item->max_stack > most)
			most = item->max_stack;
	}
	return most;
}

void sprof_trace_stacks_write(struct sprof_trace_stacks *stacks,
	const struct sprof_profile *profile, const struct sprof_event_list *list, bool short_names,
	struct sprof_out *out)
{
	const size_t most = most_frames(list);
	struct sprof_briefs *briefs;

	stacks->out_of_memory |= !sprof_briefs_create(profile, short_names, &briefs);
	for (size_t i = 0; i < stacks->count && !stacks->out_of_memory; i++) {
		sprof_out_printf(out, "\nstack %zu:\n", i + 1);
		if (!sprof_frames_write(profile, stacks->ids[i], briefs, most, out))
			stacks->out_of_memory = true;
	}
	sprof_briefs_destroy(briefs);
}
