/*
 * Stacks of `sprof trace`: during the run they get numbers only, because resolving names takes
 * time. They are printed at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/target.h"
#include "base/attributes.h"
#include "base/idmap.h"
#include "events/language/event-list.h"
#include "events/pairs/pairs.h"
#include "events/source.h"
#include "output/out.h"
#include "profile/model/profile.h"

/* Unpaired events from one stack. */
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
	uint32_t *ids;                           /* the profile's stack ids, by number - 1 */
	size_t count, capacity;
	struct sprof_idmap numbers;
	struct sprof_trace_lonely *lonely;
	size_t lonely_count, lonely_capacity;
	struct sprof_idmap lonely_index;
	bool out_of_memory;
};

void sprof_trace_stacks_finish(struct sprof_trace_stacks *stacks);

/* The number to print for a stack, from 1; 0: no stack. */
unsigned sprof_trace_stacks_number(struct sprof_trace_stacks *stacks, uint32_t stack);
/* The stack of a thread that sleeps now; 0: it does not sleep, or is gone. */
uint32_t sprof_trace_stacks_peek(struct sprof_trace_stacks *stacks, uint32_t thread);
/* Counts an unpaired event, if it has a stack. */
void sprof_trace_stacks_count(
	struct sprof_trace_stacks *stacks, const struct sprof_trace_side *side, bool is_second);

/* Writes the stacks of an item's unpaired events, as lines with numbers. */
void sprof_trace_stacks_write_lonely(struct sprof_trace_stacks *stacks,
	const struct sprof_event_item *item, bool is_second, struct sprof_out *out);
/* Writes all stacks with a number; locations must be named. */
void sprof_trace_stacks_write(struct sprof_trace_stacks *stacks,
	const struct sprof_profile *profile, const struct sprof_event_list *list, bool short_names,
	struct sprof_out *out);
