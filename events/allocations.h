/*
 * Allocations of a target, seen from outside: calls of allocators at their entries and returns make the books
 * of its heap.
 *
 * Events are those of calls (SPROF_TRACE_PROBE with the arguments, SPROF_TRACE_RETURN), births of processes
 * (FORK), execs and ends of threads (EXIT), in the order of time. Other events are accepted. Memory is
 * freed at the entry of the call, because another thread may have its address before the call returns;
 * it is allocated at the return. A child has a copy of its parent's heap: what it frees of that is only
 * counted.
 */
#ifndef SPROF_EVENTS_ALLOCATIONS_H
#define SPROF_EVENTS_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/allocators.h"
#include "events/event-type.h"
#include "events/heap-books.h"

struct sprof_allocations_options {
	void *data; /* of the functions */
	/* The allocator whose calls have this number. NULL: none. */
	const struct sprof_allocator *(*allocator)(void *data, int64_t number);
	/*
	 * A word of the memory of the event's process, for functions that store their result. It may have
	 * changed since the event. NULL: can't be read.
	 */
	bool (*read_word)(void *data, const struct sprof_trace_event *event, uint64_t address,
		uint64_t *ret_word);
	bool follow_children; /* false: children that are born meanwhile don't count */
	bool is_whole;        /* all processes were traced from their start */
};

/* What did not go into the books, and what is odd. */
struct sprof_allocations_counts {
	uint64_t calls;            /* that count: the outermost ones */
	uint64_t failed;           /* got no memory */
	uint64_t null_frees;       /* free(NULL) */
	uint64_t unknown_frees;    /* of memory that was allocated before, or unseen */
	uint64_t unknown_resizes;  /* likewise */
	uint64_t inherited_frees;  /* by a child, of what its parent has allocated, or resized */
	uint64_t left;             /* calls that have ended without a return */
	uint64_t unpaired_returns; /* of calls that were under way before */
	uint64_t unread;           /* memory whose address could not be read */
	uint64_t gaps;             /* how often events were lost */
};

struct sprof_allocations;

/* NULL: no memory. */
SPROF_MUST_USE struct sprof_allocations *sprof_allocations_create(
	const struct sprof_allocations_options *options);
/* NULL is accepted. */
void sprof_allocations_destroy(struct sprof_allocations *allocations);

/* The next event. False: no memory. */
SPROF_MUST_USE bool sprof_allocations_add(
	struct sprof_allocations *allocations, const struct sprof_trace_event *event);

/* Valid until the next event. */
const struct sprof_heap_books *sprof_allocations_books(const struct sprof_allocations *allocations);
const struct sprof_allocations_counts *sprof_allocations_counts(
	const struct sprof_allocations *allocations);

#endif
