/* Opens the modules of a process's mappings. */
#ifndef SPROF_ATTACH_MODULE_OPEN_H
#define SPROF_ATTACH_MODULE_OPEN_H

#include "attach/proc/maps.h"

/* The source of mappings. */
struct sprof_maps_source {
	pid_t live_tid;   /* a thread of the process that has not ended */
	const char *text; /* its maps file */
};

/*
 * Opens the modules of executable mappings that are not open yet: files, the vDSO, and perf maps of
 * memory without a file. If a mapped file was overwritten, a new module replaces the old one, in
 * the mapping as well, because the mapping shows the new content. Modules that can't be opened hold
 * the reason (file.h).
 */
void sprof_modules_open(struct sprof_modules *modules, struct sprof_maps *maps,
	const struct sprof_maps_source *source);

#endif
