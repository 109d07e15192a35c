/*
 * Private to events/: one event of a call of an allocator, with all that it concerns.
 */
#ifndef SPROF_EVENTS_HEAP_STEP_H
#define SPROF_EVENTS_HEAP_STEP_H

#include "events/allocations.h"
#include "events/heap-calls.h"

struct sprof_heap_step {
	const struct sprof_allocations_options *options;
	struct sprof_allocations_counts *counts;
	struct sprof_heap_books *books;
	const struct sprof_trace_event *event;
	const struct sprof_allocator *allocator;
	uint64_t sp; /* at the entry of the call */
	uint32_t process;
	bool is_copy; /* the process is, of its parent */
	/* Of the thread: */
	struct sprof_heap_calls *calls;
	uint64_t *last_serial; /* of its last allocation */
};

/* The entry, and the return, of the call. False: no memory. */
SPROF_MUST_USE bool sprof_heap_step_enter(const struct sprof_heap_step *step);
SPROF_MUST_USE bool sprof_heap_step_leave(const struct sprof_heap_step *step);

#endif
