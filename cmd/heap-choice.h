/*
 * Which functions of a file are the allocators that count.
 */
#ifndef SPROF_CMD_HEAP_CHOICE_H
#define SPROF_CMD_HEAP_CHOICE_H

#include <stdbool.h>

#include "elfsym/listing.h"
#include "events/allocators.h"

/* Zeroed is valid. */
struct sprof_heap_choice {
	const struct sprof_module *listed; /* the last file that was listed for its names */
	bool listed_has_runtime;           /* of C++ */
};

/* The allocator that a function of the file is, if it counts; NULL: it is none. */
const struct sprof_allocator *sprof_heap_choice_find(struct sprof_heap_choice *choice,
	const struct sprof_module *module, const struct sprof_listed *function);

#endif
