/*
 * Areas of data. A module's zero-initialised data is anonymous memory directly after its file's
 * last mapping (elf(5), p_memsz above p_filesz). Names no stacks except the main thread's, as maps
 * does.
 */
#include "blocked/areas.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/maps-text.h"
#include "base/search.h"

/* The file whose mappings are being read, one after the other. */
struct file {
	uint64_t device, inode, base, code, end;
	size_t first; /* of its areas */
};

static bool is_path(const struct sprof_maps_line *line, const char *text)
{
	return line->path_length == strlen(text) && !memcmp(line->path, text, line->path_length);
}

static bool starts_with(const struct sprof_maps_line *line, const char *text)
{
	return line->path_length >= strlen(text) && !memcmp(line->path, text, strlen(text));
}

static enum sprof_area_kind kind_of(const struct sprof_maps_line *line, const struct file *file)
{
	if (is_path(line, "[heap]"))
		return SPROF_AREA_HEAP;
	if (is_path(line, "[stack]"))
		return SPROF_AREA_STACK;
	if (line->shared && line->inode && !line->executable)
		return SPROF_AREA_SHARED;
	if (line->inode || (!line->path_length && file->inode && file->end == line->start))
		return SPROF_AREA_DATA;
	return SPROF_AREA_ANONYMOUS;
}

/* Anonymous shared memory is a deleted /dev/zero. System V's has its id as the inode (mm/shmem.c,
 * shmem_zero_setup(); ipc/shm.c, newseg()). */
static void name_shared(struct sprof_area *area, const struct sprof_maps_line *line)
{
	const char *begin = line->path, *slash = memrchr(line->path, '/', line->path_length);
	size_t length = line->path_length;
	bool is_system_v = starts_with(line, "/SYSV");

	if (is_system_v || starts_with(line, "/dev/zero")) {
		snprintf(area->name, sizeof(area->name), "[%s:%" PRIu64 "]",
			is_system_v ? "shm" : "anon", line->inode);
		return;
	}
	if (slash) {
		length -= (size_t)(slash + 1 - begin);
		begin = slash + 1;
	}
	if (length > sizeof(area->name) - 3)
		length = sizeof(area->name) - 3;
	snprintf(area->name, sizeof(area->name), "[%.*s]", (int)length, begin);
}

/* The file's code line comes after the lines of its first data, so set `code` in those areas
 * now. */
static void note_code(struct sprof_areas *areas, struct file *file, uint64_t start)
{
	file->code = start;
	for (size_t i = file->first; i < areas->count; i++)
		areas->items[i].code = start;
}

/* A second mapping of the same file starts at the file's start again. */
static bool is_new_file(const struct sprof_maps_line *line, const struct file *file)
{
	return line->inode != file->inode || line->device != file->device || !line->offset;
}

static bool add_line(
	struct sprof_areas *areas, const struct sprof_maps_line *line, struct file *file)
{
	struct sprof_area area = {.start = line->start, .end = line->end, .base = line->start};

	if (line->inode && is_new_file(line, file))
		*file = (struct file){.device = line->device,
			.inode = line->inode,
			.base = line->start - line->offset,
			.first = areas->count};
	area.kind = kind_of(line, file);
	if (area.kind == SPROF_AREA_SHARED) {
		name_shared(&area, line);
		area.base = line->start - line->offset;
	}
	if (area.kind == SPROF_AREA_DATA) {
		area.base = file->base;
		area.code = file->code;
		file->end = line->inode ? line->end : 0;
	}
	if (!SPROF_ARRAY_APPEND(areas->items, areas->count, areas->capacity, area))
		return false;
	if (line->executable && area.kind == SPROF_AREA_DATA && line->inode && !file->code)
		note_code(areas, file, line->start);
	return true;
}

bool sprof_areas_parse(struct sprof_areas *areas, const char *text)
{
	struct sprof_maps_line line;
	struct file file = {0};
	const char *cursor = text;

	areas->count = 0;
	while (sprof_maps_parse_line(&cursor, &line)) {
		if (!add_line(areas, &line, &file))
			return false;
	}
	return true;
}

const struct sprof_area *sprof_areas_find(const struct sprof_areas *areas, uint64_t address)
{
	const size_t next = sprof_upper_bound(
		areas->items, areas->count, SPROF_KEY(areas->items, start, address));

	return next && address < areas->items[next - 1].end ? &areas->items[next - 1] : NULL;
}

void sprof_areas_finish(struct sprof_areas *areas)
{
	free(areas->items);
	*areas = (struct sprof_areas){0};
}
