/*
 * Heap figures by stack: rows of a report, and kinds of values of a profile. The innermost frame,
 * the allocator's, is removed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/heap/books.h"
#include "profile/model/profile.h"

/* Kinds of values. Those in Go's heap profiles keep Go's names and order. */
enum sprof_heap_kind {
	SPROF_HEAP_ALLOC_OBJECTS,
	SPROF_HEAP_ALLOC_SPACE,
	SPROF_HEAP_INUSE_OBJECTS, /* unfreed, including ended processes */
	SPROF_HEAP_INUSE_SPACE,
	SPROF_HEAP_PEAK_OBJECTS,
	SPROF_HEAP_PEAK_SPACE,
	SPROF_HEAP_FREED_OBJECTS,
	SPROF_HEAP_FREED_SPACE,
	SPROF_HEAP_TEMPORARY_OBJECTS,
	SPROF_HEAP_TEMPORARY_SPACE,
	SPROF_HEAP_RELEASED_OBJECTS, /* by the stack that frees; only if wanted */
	SPROF_HEAP_RELEASED_SPACE,
	SPROF_HEAP_KINDS,
};

/* A stack, over all threads. */
struct sprof_heap_row {
	uint32_t stack; /* the profile's, without the allocator's frame */
	struct sprof_heap_sum sums[SPROF_HEAP_FIGURES];
	struct sprof_heap_sum at_peak;
	struct sprof_heap_sum old; /* unfreed, and at least as old as requested */
	uint64_t oldest_ns;        /* age of the oldest of these */
};

/* Zeroed is empty and valid. */
struct sprof_heap_rows {
	struct sprof_heap_row *items;
	size_t count, capacity;
	struct sprof_idmap by_stack;
	struct sprof_heap_sum old; /* total */
};

/* Unfreed bytes and objects. */
struct sprof_heap_sum sprof_heap_unfreed(const struct sprof_heap_sum sums[SPROF_HEAP_FIGURES]);

/* The row's figure of this kind, in bytes and objects. */
struct sprof_heap_sum sprof_heap_row_figure(
	const struct sprof_heap_row *row, enum sprof_heap_kind kind);

/* Whether a kind of this name needs the stacks that free. `name` may be NULL. */
bool sprof_heap_needs_releases(const char *name);

/* Adds the kinds to the profile, with one as default; call it before the first row. */
void sprof_heap_begin_profile(
	struct sprof_profile *profile, enum sprof_heap_kind shown, bool with_releases);
/* Adds rows by thread and stack, once locations are named. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_heap_to_profile(
	const struct sprof_heap_books *books, struct sprof_profile *profile);

/*
 * `now_ns`, `older_ns` define "old". Returns false if out of memory; finish the rows all the same.
 */
SPROF_MUST_USE bool sprof_heap_rows_create(const struct sprof_heap_books *books,
	const struct sprof_profile *profile, uint64_t now_ns, uint64_t older_ns,
	struct sprof_heap_rows *ret);
/* Largest figure first. */
void sprof_heap_rows_sort(struct sprof_heap_rows *rows, enum sprof_heap_kind kind);
/* Most old bytes first. */
void sprof_heap_rows_sort_old(struct sprof_heap_rows *rows);
void sprof_heap_rows_finish(struct sprof_heap_rows *rows);
