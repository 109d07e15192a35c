/*
 * Reading the mappings of a process.
 */
#ifndef SPROF_ATTACH_MAPS_READ_H
#define SPROF_ATTACH_MAPS_READ_H

#include "attach/maps.h"

/*
 * Reads the mappings of the process again, and opens modules that are new. The generation changes
 * with the content. False: the process is gone, or no memory; the maps are unchanged.
 */
SPROF_MUST_USE bool sprof_maps_read(
	struct sprof_maps *maps, pid_t pid, struct sprof_modules *modules);

/* Reads from the process's open maps file, for a process that doesn't let us open it now. */
SPROF_MUST_USE bool sprof_maps_read_open(
	struct sprof_maps *maps, pid_t pid, int file, struct sprof_modules *modules);

#endif
