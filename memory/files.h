/* A process's memory by mapping: one row per file, and rows for heap, stacks and other memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "memory/smaps.h"

struct sprof_memory_file {
	char *name;   /* as in maps, "[heap]", or "[anon]" */
	bool is_file; /* in a file system */
	struct sprof_smaps_figures figures;
};

/* Zeroed is empty and valid. */
struct sprof_memory_files {
	struct sprof_memory_file *items; /* by RSS, largest first */
	size_t count, capacity;
};

/* Adds the text of smaps; mappings of the same name are one row. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_memory_files_add(struct sprof_memory_files *files, const char *smaps);
void sprof_memory_files_finish(struct sprof_memory_files *files);
