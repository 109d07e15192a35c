/*
 * The memory mappings of a process, sorted, with their modules.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/module.h"

#define SPROF_MAPPING_NO_MODULE UINT32_MAX

struct sprof_maps_line;

struct sprof_mapping {
	uint64_t start, end; /* addresses: [start, end) */
	uint64_t offset;     /* in the file */
	uint32_t module;     /* of an executable mapping; else SPROF_MAPPING_NO_MODULE */
	bool executable;
	uint64_t confirmed; /* the reader's mark of its last check; 0 when read */
};

struct sprof_maps {
	struct sprof_mapping *items; /* sorted by start */
	size_t count, capacity;
	pid_t pid; /* thread through which they were read; 0: not read yet */
	/* Identifies this state of the mappings, uniquely over all processes. 0: not read yet. */
	uint64_t generation;
};

/*
 * Parses /proc/PID/maps, or text in its format. Modules are interned but not opened; memory without
 * a file belongs to process `pid`. Returns false if the text has no mapping, or out of memory.
 */
SPROF_MUST_USE bool sprof_maps_parse(
	struct sprof_maps *ret, const char *text, pid_t pid, struct sprof_modules *modules);

/*
 * The module of a line of maps that is not jit memory (attach/proc/jit.h), interned.
 * SPROF_MAPPING_NO_MODULE: out of memory.
 */
uint32_t sprof_maps_module_of(
	const struct sprof_maps_line *line, pid_t pid, struct sprof_modules *modules);

/* The mapping that contains the address, or NULL. */
const struct sprof_mapping *sprof_maps_find(const struct sprof_maps *maps, uint64_t address);

/* The address's offset in its module, as used in frames. The mapping must be executable. */
uint64_t sprof_mapping_offset(
	const struct sprof_mapping *mapping, const struct sprof_module *module, uint64_t address);

void sprof_maps_finish(struct sprof_maps *maps);
