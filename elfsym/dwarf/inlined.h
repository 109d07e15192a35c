/* Finds where a function was inlined: such code has no entry, so its calls can't be watched. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/module.h"
#include "elfsym/debug-files/debugfile.h"

/* Selects the function; called for each inlined call. */
struct sprof_inlined_wish {
	const void *data;
	/* By source name without scope, and linkage name; NULL: none. */
	bool (*is_meant)(const void *data, const char *name, const char *linkage);
};

struct sprof_inlined {
	size_t count;   /* number of inlined calls found; 0: none */
	char into[128]; /* the function that contains the first of them; empty: unknown */
	char file[128]; /* the file of that call, without folders; empty: unknown */
	uint32_t line;
};

/*
 * Searches the DWARF of a module or its debug file. Reads at most some million DIEs, so large
 * programs are not read completely. An unreadable module yields nothing.
 */
struct sprof_inlined sprof_inlined_find(const struct sprof_module *module,
	const struct sprof_debug_places *places, const struct sprof_inlined_wish *wish);
