/*
 * The areas of a process's memory for data addresses: heap, stacks, data of modules.
 * attach/proc/maps.h does this for code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

enum sprof_area_kind {
	SPROF_AREA_DATA, /* of a file, or the memory after it without file content (.bss) */
	SPROF_AREA_HEAP,
	SPROF_AREA_STACK,
	/* shared with other processes, without code: /dev/shm, memfd, SysV, a file */
	SPROF_AREA_SHARED,
	SPROF_AREA_ANONYMOUS,
};

enum { SPROF_AREA_NAME = 40 };

struct sprof_area {
	uint64_t start, end;
	enum sprof_area_kind kind;
	/* DATA, SHARED: where the file's first byte is mapped; else the start of the area */
	uint64_t base;
	uint64_t code; /* DATA: start of executable code of the same file; 0: none */
	/* SHARED: equal in all processes that share it: "[ring]" from its file, "[anon:4711]". */
	char name[SPROF_AREA_NAME];
};

struct sprof_areas {
	struct sprof_area *items; /* sorted by start */
	size_t count, capacity;
};

/* Replaces the areas by those in the text of /proc/PID/maps. Returns false, with some areas
 * missing, if out of memory. */
SPROF_MUST_USE bool sprof_areas_parse(struct sprof_areas *areas, const char *text);
/* NULL if nothing is mapped at the address. */
const struct sprof_area *sprof_areas_find(const struct sprof_areas *areas, uint64_t address);
void sprof_areas_finish(struct sprof_areas *areas);
