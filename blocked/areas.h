/*
 * What lies where in a process's memory, for addresses of data: heap, stacks, and the data of
 * modules. attach/maps.h does this for code.
 */
#ifndef SPROF_BLOCKED_AREAS_H
#define SPROF_BLOCKED_AREAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

enum sprof_area_kind {
	SPROF_AREA_DATA, /* of a file, or the memory after it without bytes in the file (.bss) */
	SPROF_AREA_HEAP,
	SPROF_AREA_STACK,
	SPROF_AREA_SHARED, /* with other processes, without code: /dev/shm, memfd, SysV, a file */
	SPROF_AREA_ANONYMOUS,
};

enum { SPROF_AREA_NAME = 40 };

struct sprof_area {
	uint64_t start, end;
	enum sprof_area_kind kind;
	uint64_t base; /* DATA, SHARED: where the file's first byte is mapped; else the start of the
			  area */
	uint64_t code; /* DATA: the start of executable code of the same file; 0: it has none */
	/* SHARED: the same in all processes that share it: "[ring]" from its file,
	 * "[anon:4711]". */
	char name[SPROF_AREA_NAME];
};

struct sprof_areas {
	struct sprof_area *items; /* sorted by start */
	size_t count, capacity;
};

/* Replaces the areas by those in the text of /proc/PID/maps. False: no memory; some areas are
 * missing. */
SPROF_MUST_USE bool sprof_areas_parse(struct sprof_areas *areas, const char *text);
/* NULL: nothing is mapped at the address. */
const struct sprof_area *sprof_areas_find(const struct sprof_areas *areas, uint64_t address);
void sprof_areas_finish(struct sprof_areas *areas);

#endif
