/* Queries a single mapping of a process by address: a twentieth of the cost of reading all. */
#pragma once

#include "attach/proc/maps.h"

enum sprof_maps_answer {
	SPROF_MAPS_SAME,    /* the mapping is unchanged since it was read */
	SPROF_MAPS_CHANGED, /* something else, or nothing, is mapped there */
	/* the kernel can't answer: before Linux 6.11, or the process is gone */
	SPROF_MAPS_UNKNOWN,
};

/*
 * Compares a file mapping with what the process has mapped there now. *file is an open maps file of
 * the process: opened at the first call (-1: not yet), valid until the process's exec.
 */
enum sprof_maps_answer sprof_maps_query(int *file, pid_t pid, const struct sprof_mapping *mapping,
	const struct sprof_module *module);

/*
 * Whether executable memory is mapped there. False also if the kernel can't answer. *file: as
 * above.
 */
bool sprof_maps_query_code(int *file, pid_t pid, uint64_t address);

/*
 * Where the mapping at the address starts. Returns false if nothing is mapped there, or the kernel
 * can't answer. *file: as above.
 */
SPROF_MUST_USE bool sprof_maps_query_start(int *file, pid_t pid, uint64_t address, uint64_t *ret);
