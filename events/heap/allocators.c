/*
 * The table of entry points, by name. Does not handle functions that only call entry points, such
 * as strdup(), nor those that free all memory of an arena at once.
 */
#include "events/heap/allocators.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NONE SPROF_ALLOCATOR_NO_ARGUMENT
#define NEW(name, size, count, alignment) \
	{ \
		name, SPROF_ALLOCATOR_NEW, NONE, size, count, alignment \
	}
#define RESIZE(name, pointer, size, count) \
	{ \
		name, SPROF_ALLOCATOR_RESIZE, pointer, size, count, NONE \
	}
#define FREE(name) \
	{ \
		name, SPROF_ALLOCATOR_FREE, 0, NONE, NONE, NONE \
	}

/* Sorted by name, as strcmp(3) has it. */
static const struct sprof_allocator table[] = {
	/* operator delete[] and delete */
	FREE("_ZdaPv"),
	FREE("_ZdaPvRKSt9nothrow_t"),
	FREE("_ZdaPvSt11align_val_t"),
	FREE("_ZdaPvSt11align_val_tRKSt9nothrow_t"),
	FREE("_ZdaPvm"),
	FREE("_ZdaPvmSt11align_val_t"),
	FREE("_ZdlPv"),
	FREE("_ZdlPvRKSt9nothrow_t"),
	FREE("_ZdlPvSt11align_val_t"),
	FREE("_ZdlPvSt11align_val_tRKSt9nothrow_t"),
	FREE("_ZdlPvm"),
	FREE("_ZdlPvmSt11align_val_t"),
	/* operator new[] and new */
	NEW("_Znam", 0, NONE, NONE),
	NEW("_ZnamRKSt9nothrow_t", 0, NONE, NONE),
	NEW("_ZnamSt11align_val_t", 0, NONE, 1),
	NEW("_ZnamSt11align_val_tRKSt9nothrow_t", 0, NONE, 1),
	NEW("_Znwm", 0, NONE, NONE),
	NEW("_ZnwmRKSt9nothrow_t", 0, NONE, NONE),
	NEW("_ZnwmSt11align_val_t", 0, NONE, 1),
	NEW("_ZnwmSt11align_val_tRKSt9nothrow_t", 0, NONE, 1),
	{"__cxa_allocate_exception", SPROF_ALLOCATOR_THROWS, NONE, NONE, NONE, NONE},
	NEW("aligned_alloc", 1, NONE, 0),
	NEW("calloc", 0, 1, NONE),
	FREE("cfree"),
	FREE("dallocx"),
	FREE("free"),
	FREE("free_aligned_sized"),
	FREE("free_sized"),
	NEW("malloc", 0, NONE, NONE),
	NEW("mallocx", 0, NONE, NONE),
	NEW("memalign", 1, NONE, 0),
	NEW("mi_calloc_aligned", 0, 1, 2),
	RESIZE("mi_expand", 0, 1, NONE),
	FREE("mi_free_aligned"),
	FREE("mi_free_size"),
	FREE("mi_free_size_aligned"),
	NEW("mi_heap_calloc", 1, 2, NONE),
	NEW("mi_heap_calloc_aligned", 1, 2, 3),
	NEW("mi_heap_malloc", 1, NONE, NONE),
	NEW("mi_heap_malloc_aligned", 1, NONE, 2),
	NEW("mi_heap_malloc_small", 1, NONE, NONE),
	NEW("mi_heap_mallocn", 1, 2, NONE),
	RESIZE("mi_heap_realloc", 1, 2, NONE),
	RESIZE("mi_heap_realloc_aligned", 1, 2, NONE),
	{"mi_heap_reallocf", SPROF_ALLOCATOR_RESIZE_F, 1, 2, NONE, NONE},
	RESIZE("mi_heap_reallocn", 1, 2, 3),
	RESIZE("mi_heap_recalloc", 1, 2, 3),
	RESIZE("mi_heap_rezalloc", 1, 2, NONE),
	NEW("mi_heap_zalloc", 1, NONE, NONE),
	NEW("mi_heap_zalloc_aligned", 1, NONE, 2),
	NEW("mi_malloc_aligned", 0, NONE, 1),
	NEW("mi_malloc_small", 0, NONE, NONE),
	NEW("mi_mallocn", 0, 1, NONE),
	NEW("mi_new", 0, NONE, NONE),
	NEW("mi_new_aligned", 0, NONE, 1),
	NEW("mi_new_aligned_nothrow", 0, NONE, 1),
	NEW("mi_new_n", 0, 1, NONE),
	NEW("mi_new_nothrow", 0, NONE, NONE),
	RESIZE("mi_new_realloc", 0, 1, NONE),
	RESIZE("mi_new_reallocn", 0, 1, 2),
	RESIZE("mi_realloc_aligned", 0, 1, NONE),
	{"mi_reallocf", SPROF_ALLOCATOR_RESIZE_F, 0, 1, NONE, NONE},
	RESIZE("mi_reallocn", 0, 1, 2),
	RESIZE("mi_recalloc", 0, 1, 2),
	RESIZE("mi_rezalloc", 0, 1, NONE),
	NEW("mi_zalloc", 0, NONE, NONE),
	NEW("mi_zalloc_aligned", 0, NONE, 1),
	NEW("mi_zalloc_small", 0, NONE, NONE),
	{"posix_memalign", SPROF_ALLOCATOR_STORES, 0, 2, NONE, 1},
	NEW("pvalloc", 0, NONE, NONE),
	RESIZE("rallocx", 0, 1, NONE),
	RESIZE("realloc", 0, 1, NONE),
	RESIZE("reallocarray", 0, 1, 2),
	FREE("sdallocx"),
	FREE("tc_delete"),
	FREE("tc_delete_aligned"),
	FREE("tc_delete_aligned_nothrow"),
	FREE("tc_delete_nothrow"),
	FREE("tc_delete_sized"),
	FREE("tc_delete_sized_aligned"),
	FREE("tc_deletearray"),
	FREE("tc_deletearray_aligned"),
	FREE("tc_deletearray_aligned_nothrow"),
	FREE("tc_deletearray_nothrow"),
	FREE("tc_deletearray_sized"),
	FREE("tc_deletearray_sized_aligned"),
	NEW("tc_malloc_skip_new_handler", 0, NONE, NONE),
	NEW("tc_new", 0, NONE, NONE),
	NEW("tc_new_aligned", 0, NONE, 1),
	NEW("tc_new_aligned_nothrow", 0, NONE, 1),
	NEW("tc_new_nothrow", 0, NONE, NONE),
	NEW("tc_newarray", 0, NONE, NONE),
	NEW("tc_newarray_aligned", 0, NONE, 1),
	NEW("tc_newarray_aligned_nothrow", 0, NONE, 1),
	NEW("tc_newarray_nothrow", 0, NONE, NONE),
	NEW("valloc", 0, NONE, NONE),
	{"xallocx", SPROF_ALLOCATOR_EXPAND, 0, 1, NONE, NONE},
};

/* Prefixes of other names of C's functions. */
static const char *const prefixes[] = {"__libc_", "je_", "mi_", "tc_", "__"};

static int compare(const void *key, const void *element)
{
	const struct sprof_allocator *allocator = element;

	return strcmp(key, allocator->name);
}

static const struct sprof_allocator *find_whole(const char *name)
{
	return bsearch(name, table, sizeof(table) / sizeof(table[0]), sizeof(table[0]), compare);
}

/* operator new of a prefix is not a function of C. */
static const struct sprof_allocator *find_behind(const char *name, const char *prefix)
{
	const size_t length = strlen(prefix);
	const struct sprof_allocator *found;

	if (strncmp(name, prefix, length) != 0)
		return NULL;
	found = find_whole(name + length);
	return found && found->name[0] != '_' ? found : NULL;
}

const struct sprof_allocator *sprof_allocator_find(const char *name)
{
	const struct sprof_allocator *found = find_whole(name);

	for (size_t i = 0; !found && i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		found = find_behind(name, prefixes[i]);
	return found;
}

uint64_t sprof_allocator_size(const struct sprof_allocator *allocator, const uint64_t *arguments)
{
	uint64_t size;

	if (allocator->size < 0)
		return 0;
	size = arguments[allocator->size];
	if (allocator->count >= 0 &&
		__builtin_mul_overflow(size, arguments[allocator->count], &size))
		return UINT64_MAX;
	return size;
}
