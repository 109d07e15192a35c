/*
 * Functions that are wanted, file by file.
 */
#ifndef SPROF_CMD_FUNCTION_TABLE_H
#define SPROF_CMD_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/idmap.h"
#include "cmd/functions.h"

/* Its options are set; otherwise zeroed is empty and valid. */
struct sprof_function_table {
	const struct sprof_functions_options *options;
	struct sprof_function *items; /* by number; their names are owned */
	size_t count, capacity;
	struct sprof_idmap scanned; /* (0, a module's id) -> 0 */
	uint32_t unreadable;        /* files */
};

/*
 * Appends the wanted functions of a module that was not asked about before. False: no memory. A file
 * that can't be read has none, and is counted.
 */
SPROF_MUST_USE bool sprof_function_table_scan(
	struct sprof_function_table *table, struct sprof_module *module);

void sprof_function_table_finish(struct sprof_function_table *table);

#endif
