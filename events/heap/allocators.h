/*
 * The entry points of allocators (libc, C++, jemalloc, tcmalloc, mimalloc) by linkage name, with
 * the meaning of their arguments and results.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum sprof_allocator_kind {
	SPROF_ALLOCATOR_NEW, /* returns new memory; 0: failed */
	/* stores the address of new memory at `pointer`; returns 0 on success */
	SPROF_ALLOCATOR_STORES,
	/* returns the resized memory; 0: failed, memory unchanged, or freed if the size is 0 */
	SPROF_ALLOCATOR_RESIZE,
	SPROF_ALLOCATOR_RESIZE_F, /* as RESIZE, but frees the memory if it fails */
	SPROF_ALLOCATOR_EXPAND,   /* resizes in place and returns the actual size */
	SPROF_ALLOCATOR_FREE,
	/* no allocator (throws an exception): the enclosing calls may end without a return */
	SPROF_ALLOCATOR_THROWS,
};

enum { SPROF_ALLOCATOR_NO_ARGUMENT = -1 };

/* Arguments are indices from 0, or SPROF_ALLOCATOR_NO_ARGUMENT. */
struct sprof_allocator {
	const char *name;
	enum sprof_allocator_kind kind;
	int8_t pointer;     /* the block to free or resize */
	int8_t size, count; /* bytes = size * count; without count, size */
	int8_t alignment;
};

/* The row of an entry point, static; NULL: not an entry point. */
const struct sprof_allocator *sprof_allocator_find(const char *name);

/* Bytes requested by a call with these arguments; UINT64_MAX if size * count overflows. */
uint64_t sprof_allocator_size(const struct sprof_allocator *allocator, const uint64_t *arguments);
