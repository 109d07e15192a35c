/*
 * Stacks of `sprof trace`: as they come they only get a number, because names take time. They are
 * printed at the end.
 */
#ifndef SPROF_CMD_TRACE_STACKS_H
#define SPROF_CMD_TRACE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/target.h"
#include "base/attributes.h"
#include "base/idmap.h"
#include "events/event-list.h"
#include "events/pairs.h"
#include "events/source.h"
#include "output/out.h"
#include "profile/profile.h"

/* Events without a partner, from one stack. */
struct sprof_trace_lonely {
	const struct sprof_event_item *item;
	bool is_second;
	uint32_t stack;
	uint64_t count;
};

/* Zeroed is empty and valid. */
struct sprof_trace_stacks {
	struct sprof_target *target;
	const struct sprof_event_stacks *source; /* NULL: not offered yet */
	uint32_t *ids;                           /* of the profile, by number - 1 */
	size_t count, capacity;
	struct sprof_idmap numbers;
	struct sprof_trace_lonely *lonely;
	size_t lonely_count, lonely_capacity;
	struct sprof_idmap lonely_index;
	bool out_of_memory;
};

void sprof_trace_stacks_finish(struct sprof_trace_stacks *stacks);

/* The number to print for a stack of the profile, from 1; 0: it is no stack. */
unsigned sprof_trace_stacks_number(struct sprof_trace_stacks *stacks, uint32_t stack);
/* The stack of a thread that sleeps now; 0: it does not, or is gone. */
uint32_t sprof_trace_stacks_peek(struct sprof_trace_stacks *stacks, uint32_t thread);
/* Counts an event without a partner, if it has a stack. */
void sprof_trace_stacks_count(
	struct sprof_trace_stacks *stacks, const struct sprof_trace_side *side, bool is_second);

/* The stacks of the events of an item without a partner, as lines with their numbers. */
void sprof_trace_stacks_write_lonely(struct sprof_trace_stacks *stacks,
	const struct sprof_event_item *item, bool is_second, struct sprof_out *out);
/* All stacks that have a number; the profile's locations are named. */
void sprof_trace_stacks_write(struct sprof_trace_stacks *stacks,
	const struct sprof_profile *profile, const struct sprof_event_list *list, bool short_names,
	struct sprof_out *out);

#endif
