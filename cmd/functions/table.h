/* The wanted functions, found file by file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "cmd/functions/functions.h"

/* Set the options; the rest zeroed is empty and valid. */
struct sprof_function_table {
	const struct sprof_functions_options *options;
	struct sprof_function *items; /* by number; names are owned */
	size_t count, capacity;
	/*
	 * functions without names that are watched to notice new libraries and calls that are left
	 */
	struct sprof_function *landmarks;
	size_t landmark_count, landmark_capacity;
	struct sprof_idmap scanned; /* (0, module id) -> 0 */
	uint32_t unreadable;        /* number of unreadable files */
};

/*
 * Appends the wanted functions of a module that was not scanned before. A file that can't be read
 * is counted. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_function_table_scan(
	struct sprof_function_table *table, struct sprof_module *module);

void sprof_function_table_finish(struct sprof_function_table *table);
