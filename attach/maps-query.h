/*
 * One mapping of a process, asked for by address: a twentieth of what reading all of them costs.
 */
#ifndef SPROF_ATTACH_MAPS_QUERY_H
#define SPROF_ATTACH_MAPS_QUERY_H

#include "attach/maps.h"

enum sprof_maps_answer {
	SPROF_MAPS_SAME,    /* the mapping is as it was read */
	SPROF_MAPS_CHANGED, /* something else is there now, or nothing */
	SPROF_MAPS_UNKNOWN, /* the kernel can't be asked so: before Linux 6.11, or the process is gone */
};

/*
 * Compares a mapping of a file with what the process has there now. *file is the process's file of
 * maps, opened at the first call (-1: not yet) and good until the process runs another program.
 */
enum sprof_maps_answer sprof_maps_query(int *file, pid_t pid, const struct sprof_mapping *mapping,
	const struct sprof_module *module);

#endif
