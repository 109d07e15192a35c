/*
 * What the stacks of a heap have: rows of a report, and kinds of values of a profile. The innermost
 * frame, which is the allocator's, is left out.
 */
#ifndef SPROF_CMD_HEAP_SITES_H
#define SPROF_CMD_HEAP_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/heap-books.h"
#include "profile/profile.h"

/* Kinds of values. Those that Go's profiles of a heap have keep their names and their order. */
enum sprof_heap_kind {
	SPROF_HEAP_ALLOC_OBJECTS,
	SPROF_HEAP_ALLOC_SPACE,
	SPROF_HEAP_INUSE_OBJECTS, /* not freed, also of processes that have ended */
	SPROF_HEAP_INUSE_SPACE,
	SPROF_HEAP_PEAK_OBJECTS,
	SPROF_HEAP_PEAK_SPACE,
	SPROF_HEAP_FREED_OBJECTS,
	SPROF_HEAP_FREED_SPACE,
	SPROF_HEAP_TEMPORARY_OBJECTS,
	SPROF_HEAP_TEMPORARY_SPACE,
	SPROF_HEAP_KINDS,
};

/* All threads of a stack. */
struct sprof_heap_row {
	uint32_t stack; /* the profile's, without the allocator's frame */
	struct sprof_heap_sum sums[SPROF_HEAP_FIGURES];
	struct sprof_heap_sum at_peak;
	struct sprof_heap_sum old; /* what is not freed and as old as was asked for */
	uint64_t oldest_ns;        /* age of the oldest of these */
};

/* Zeroed is empty and valid. */
struct sprof_heap_rows {
	struct sprof_heap_row *items;
	size_t count, capacity;
	struct sprof_idmap by_stack;
	struct sprof_heap_sum old; /* of all */
};

/* Bytes and objects that are not freed. */
struct sprof_heap_sum sprof_heap_unfreed(const struct sprof_heap_sum sums[SPROF_HEAP_FIGURES]);

/* The row's figure of that kind, with its bytes and its objects. */
struct sprof_heap_sum sprof_heap_row_figure(
	const struct sprof_heap_row *row, enum sprof_heap_kind kind);

/* The profile gets the kinds, and shows one of them; before its first row. */
void sprof_heap_begin_profile(struct sprof_profile *profile, enum sprof_heap_kind shown);
/* The rows of threads and stacks, once the profile's locations have names. False: no memory. */
SPROF_MUST_USE bool sprof_heap_to_profile(
	const struct sprof_heap_books *books, struct sprof_profile *profile);

/* `now_ns`, `older_ns`: what is old. False: no memory; the rows are to be finished nevertheless. */
SPROF_MUST_USE bool sprof_heap_rows_create(const struct sprof_heap_books *books,
	const struct sprof_profile *profile, uint64_t now_ns, uint64_t older_ns,
	struct sprof_heap_rows *ret);
/* The largest figure first. */
void sprof_heap_rows_sort(struct sprof_heap_rows *rows, enum sprof_heap_kind kind);
/* The most old bytes first. */
void sprof_heap_rows_sort_old(struct sprof_heap_rows *rows);
void sprof_heap_rows_finish(struct sprof_heap_rows *rows);

#endif
