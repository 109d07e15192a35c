/*
 * The entry points of memory allocators, by their linkage names: those of libc, C++, jemalloc, tcmalloc and
 * mimalloc, and what their arguments and their result mean.
 */
#ifndef SPROF_EVENTS_ALLOCATORS_H
#define SPROF_EVENTS_ALLOCATORS_H

#include <stdbool.h>
#include <stdint.h>

enum sprof_allocator_kind {
	SPROF_ALLOCATOR_NEW, /* the result is new memory; 0: there is none */
	SPROF_ALLOCATOR_STORES, /* likewise, but it is stored where `pointer` points; the result is 0 */
	SPROF_ALLOCATOR_RESIZE, /* the result is the memory, here or elsewhere; 0: as it was, or, of
				     size 0, freed */
	SPROF_ALLOCATOR_RESIZE_F, /* the same, and what can't be resized is freed */
	SPROF_ALLOCATOR_EXPAND, /* the memory stays where it is; the result is the size that it has */
	SPROF_ALLOCATOR_FREE,
	SPROF_ALLOCATOR_THROWS, /* no allocator: calls around this one may end without a return */
};

enum { SPROF_ALLOCATOR_NO_ARGUMENT = -1 };

/* Arguments are numbers from 0, or SPROF_ALLOCATOR_NO_ARGUMENT. */
struct sprof_allocator {
	const char *name;
	enum sprof_allocator_kind kind;
	int8_t pointer;     /* memory that it is given */
	int8_t size, count; /* the bytes wanted are the product of both, or the size alone */
	int8_t alignment;
};

/* NULL: a function of this name is no entry point. The row is static. */
const struct sprof_allocator *sprof_allocator_find(const char *name);

/* The bytes that a call with these arguments asks for; UINT64_MAX if the product does not fit. */
uint64_t sprof_allocator_size(const struct sprof_allocator *allocator, const uint64_t *arguments);

#endif
