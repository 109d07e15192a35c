/*
 * What lies where in a process's memory, for addresses of data: heap, stacks, and the data of
 * modules. Unlike attach/maps.h, which is about code.
 */
#ifndef SPROF_ATTACH_AREAS_H
#define SPROF_ATTACH_AREAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum sprof_area_kind {
	SPROF_AREA_DATA, /* of a file, or the memory behind it that the file has no bytes for (.bss)
			  */
	SPROF_AREA_HEAP,
	SPROF_AREA_STACK,
	SPROF_AREA_SHARED, /* with other processes, and without code in it: /dev/shm, memfd, SysV, a file */
	SPROF_AREA_ANONYMOUS,
};

enum {
	SPROF_AREA_NAME = 40
};

struct sprof_area {
	uint64_t start, end;
	enum sprof_area_kind kind;
	uint64_t base; /* DATA, SHARED: where the file's first byte is mapped; else the start of the area */
	uint64_t code; /* DATA: the start of an executable mapping of the same file; 0: it has none
			*/
	/* SHARED: the same in all processes that have it: "[ring]" by its file, "[anon:4711]". */
	char name[SPROF_AREA_NAME];
};

struct sprof_areas {
	struct sprof_area *items; /* sorted by start */
	size_t count, capacity;
};

/* From the text of /proc/PID/maps. False: no memory. */
bool sprof_areas_parse(struct sprof_areas *areas, const char *text);
/* Replaces them by those of the process now. False: it can't be read. */
bool sprof_areas_read(struct sprof_areas *areas, pid_t pid);
/* NULL: nothing is mapped there. */
const struct sprof_area *sprof_areas_find(const struct sprof_areas *areas, uint64_t address);
void sprof_areas_finish(struct sprof_areas *areas);

#endif
