/* Finds code of a file in anonymous memory at the file's place. */
#pragma once

#include "attach/proc/maps.h"

/* The source of mappings. */
struct sprof_maps_source {
	pid_t live_tid;   /* a thread of the process that has not ended */
	const char *text; /* its maps file */
};

/*
 * If memory without a file holds the code that a file has for its address, assigns the mapping to
 * that file's module. Programs that put their code onto huge pages make such memory.
 */
void sprof_maps_find_remapped(struct sprof_maps *maps, const struct sprof_maps_source *source,
	struct sprof_modules *modules);
