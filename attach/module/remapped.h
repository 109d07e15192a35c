/* Finds code of a file in anonymous memory at the file's place. */
#ifndef SPROF_ATTACH_MODULE_REMAPPED_H
#define SPROF_ATTACH_MODULE_REMAPPED_H

#include "attach/proc/maps.h"

/* The source of mappings. */
struct sprof_maps_source {
	pid_t live_tid;   /* a thread of the process that has not ended */
	const char *text; /* its maps file */
};

/*
 * Gives mappings of memory without a file, which hold the code that a file has for their addresses,
 * to the module of that file. Programs move their code so, onto huge pages.
 */
void sprof_maps_find_remapped(struct sprof_maps *maps, const struct sprof_maps_source *source,
	struct sprof_modules *modules);

#endif
