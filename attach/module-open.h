/*
 * Opening the modules of a process's mappings.
 */
#ifndef SPROF_ATTACH_MODULE_OPEN_H
#define SPROF_ATTACH_MODULE_OPEN_H

#include "attach/maps.h"

/* Where mappings were read from. */
struct sprof_maps_source {
	pid_t live_tid;   /* a thread of the process that has not ended */
	const char *text; /* its maps */
};

/*
 * Opens the executable mappings' modules that are not open yet: files, the vDSO's image, and the
 * perf map of memory without a file. Replaces a module whose file was overwritten, in the mapping
 * too: a mapping shows the file's current content. For a module that can't be opened, the module
 * itself holds the reason (module-file.h).
 */
void sprof_modules_open(struct sprof_modules *modules, struct sprof_maps *maps,
	const struct sprof_maps_source *source);

#endif
