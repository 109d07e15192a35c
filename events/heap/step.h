/* Private to events/: applies one event of an allocator call. */
#pragma once

#include "events/heap/allocations.h"
#include "events/heap/calls.h"

struct sprof_heap_step {
	const struct sprof_allocations_options *options;
	struct sprof_allocations_counts *counts;
	struct sprof_heap_books *books;
	const struct sprof_trace_event *event;
	const struct sprof_allocator *allocator;
	uint64_t sp; /* at the call's entry */
	uint32_t process;
	bool is_copy; /* the process is a forked copy of its parent */
	/* State of the thread: */
	struct sprof_heap_calls *calls;
	uint64_t *last_serial; /* sequence number of its last allocation */
};

/* Apply the call's entry and return. Return false if out of memory. */
SPROF_MUST_USE bool sprof_heap_step_enter(const struct sprof_heap_step *step);
SPROF_MUST_USE bool sprof_heap_step_leave(const struct sprof_heap_step *step);
