/*
 * Tracks the heaps of a target's processes from the entries and returns of allocator calls.
 *
 * Takes SPROF_TRACE_PROBE (with the arguments), SPROF_TRACE_RETURN, FORK, EXEC and EXIT events in
 * order of time and ignores others. A free takes effect at the entry of the call, because another
 * thread may get the same address before the call returns. An allocation takes effect at its
 * return. A forked child has a copy of its parent's heap; frees of copied blocks are only counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/heap/allocators.h"
#include "events/heap/books.h"
#include "events/event-type.h"

struct sprof_allocations_options {
	void *data; /* passed to these functions */
	/* The allocator function with this number; NULL: none. */
	const struct sprof_allocator *(*allocator)(void *data, int64_t number);
	/*
	 * Reads a word from the event's process, for functions that store their result in memory.
	 * The word may have changed since the event. Returns false if it can't be read.
	 */
	bool (*read_word)(void *data, const struct sprof_trace_event *event, uint64_t address,
		uint64_t *ret_word);
	bool follow_children; /* false: ignore processes forked during the run */
	bool is_whole;        /* all processes were traced from their start */
	bool releases;        /* count frees by the code that frees, too */
};

/* What was not booked, and anomalies. */
struct sprof_allocations_counts {
	uint64_t calls;           /* outermost calls only */
	uint64_t failed;          /* returned no memory */
	uint64_t null_frees;      /* free(NULL) */
	uint64_t unknown_frees;   /* of blocks allocated before tracing, or in lost records */
	uint64_t unknown_resizes; /* the same for resizes */
	/* frees and resizes, by a child, of blocks that its parent allocated */
	uint64_t inherited_frees;
	uint64_t left;             /* calls that ended without a return */
	uint64_t unpaired_returns; /* returns of calls that were running when tracing began */
	uint64_t unread;           /* allocations whose address could not be read */
	uint64_t gaps;             /* how often records were lost */
};

struct sprof_allocations;

/* Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_allocations *sprof_allocations_create(
	const struct sprof_allocations_options *options);
/* NULL is accepted. */
void sprof_allocations_destroy(struct sprof_allocations *allocations);

/* The next event. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_allocations_add(
	struct sprof_allocations *allocations, const struct sprof_trace_event *event);

/* Valid until the next event. */
const struct sprof_heap_books *sprof_allocations_books(const struct sprof_allocations *allocations);
const struct sprof_allocations_counts *sprof_allocations_counts(
	const struct sprof_allocations *allocations);
