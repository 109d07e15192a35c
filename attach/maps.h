/*
 * The memory mappings of a process: /proc/PID/maps, sorted, with the modules they come from.
 */
#ifndef SPROF_ATTACH_MAPS_H
#define SPROF_ATTACH_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/module.h"

#define SPROF_MAPPING_NO_MODULE UINT32_MAX

struct sprof_mapping {
	uint64_t start, end; /* addresses: [start, end) */
	uint64_t offset;     /* in the file */
	uint32_t module;     /* executable mappings; SPROF_MAPPING_NO_MODULE for the others */
	bool executable;
	uint64_t confirmed; /* the reader's own mark of when it was looked at last; 0 when read */
};

struct sprof_maps {
	struct sprof_mapping *items; /* sorted by start */
	size_t count, capacity;
	pid_t pid; /* a thread of the process that they were read of; 0: not read yet */
	/* When the content last changed, CLOCK_MONOTONIC: so no two states of any processes share one. */
	uint64_t generation;
};

/*
 * Reads the mappings of the process again; modules seen for the first time are opened.
 * Returns whether the process could be read; when it can't (it is gone) the maps stay as they were.
 * False also when memory is short.
 */
bool sprof_maps_read(struct sprof_maps *maps, pid_t pid, struct sprof_modules *modules);

/* The same from the process's file of them, which is open; for a process that doesn't let us open it now. */
bool sprof_maps_read_open(
	struct sprof_maps *maps, pid_t pid, int file, struct sprof_modules *modules);

/* The mapping that holds the address, or NULL. */
const struct sprof_mapping *sprof_maps_find(const struct sprof_maps *maps, uint64_t address);

/* Where the address lies in its module: what a frame stores. The mapping is executable. */
uint64_t sprof_mapping_offset(
	const struct sprof_mapping *mapping, const struct sprof_module *module, uint64_t address);

void sprof_maps_finish(struct sprof_maps *maps);

#endif
