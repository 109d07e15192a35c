/* Reads the mappings of a process. */
#pragma once

#include "attach/proc/maps.h"

/*
 * Reads the mappings of the process and opens new modules. The generation changes with the content.
 * Returns false, and leaves the maps unchanged, if the process is gone, or out of memory.
 */
SPROF_MUST_USE bool sprof_maps_read(
	struct sprof_maps *maps, pid_t pid, struct sprof_modules *modules);

/* The same from an open maps file, for a process that no longer permits opening it. */
SPROF_MUST_USE bool sprof_maps_read_open(
	struct sprof_maps *maps, pid_t pid, int file, struct sprof_modules *modules);
