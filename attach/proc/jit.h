/* Memory that holds code made at run time, by a JIT compiler or the program itself. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/module.h"

struct sprof_maps_line;

/* Whether a line of maps is memory without a file. Some of it has a name like a file's. */
bool sprof_jit_is_memory(const struct sprof_maps_line *line);

/*
 * The module of all such memory of a process, interned: "[jit of node]". The name is that of the
 * language runtime in the process's maps, else of the program. UINT32_MAX: out of memory.
 */
SPROF_MUST_USE uint32_t sprof_jit_module(
	const char *maps_text, pid_t pid, struct sprof_modules *modules);
