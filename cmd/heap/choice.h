/* Which functions of a file are allocators to watch. */
#pragma once

#include <stdbool.h>

#include "elfsym/names/listing.h"
#include "events/heap/allocators.h"

/* Zeroed is valid. */
struct sprof_heap_choice {
	const struct sprof_module *listed; /* the last file listed */
	bool listed_has_runtime;           /* it contains the C++ runtime */
};

/* The allocator with the function's name, if it is watched; NULL: none. */
const struct sprof_allocator *sprof_heap_choice_find(struct sprof_heap_choice *choice,
	const struct sprof_module *module, const struct sprof_listed *function);
