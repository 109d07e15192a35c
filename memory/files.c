/*
 * Adds up mappings by name. Replaced files appear separately: the old mappings' name ends with "
 * (deleted)".
 */
#include "memory/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static struct sprof_memory_file *find(
	const struct sprof_memory_files *files, const char *name, size_t length)
{
	for (size_t i = 0; i < files->count; i++) {
		if (strlen(files->items[i].name) == length &&
			!memcmp(files->items[i].name, name, length))
			return &files->items[i];
	}
	return NULL;
}

/* Returns NULL if out of memory. */
static struct sprof_memory_file *append(
	struct sprof_memory_files *files, const char *name, size_t length)
{
	struct sprof_memory_file *added;

	if (!sprof_array_reserve(
		    &files->items, &files->capacity, files->count + 1, sizeof(*files->items)))
		return NULL;
	added = &files->items[files->count];
	*added = (struct sprof_memory_file){
		.name = strndup(name, length), .is_file = name[0] == '/'};
	if (!added->name)
		return NULL;
	files->count++;
	return added;
}

static bool add_area(struct sprof_memory_files *files, const struct sprof_smaps_area *area)
{
	static const char anonymous[] = "[anon]";
	const bool has_name = area->line.path_length;
	const char *name = has_name ? area->line.path : anonymous;
	const size_t length = has_name ? area->line.path_length : sizeof(anonymous) - 1;
	struct sprof_memory_file *file = find(files, name, length);

	if (!file)
		file = append(files, name, length);
	if (file)
		sprof_smaps_add(&file->figures, &area->figures);
	return file;
}

static int compare(const void *a, const void *b)
{
	const struct sprof_memory_file *left = a, *right = b;

	if (left->figures.rss != right->figures.rss)
		return left->figures.rss > right->figures.rss ? -1 : 1;
	return strcmp(left->name, right->name);
}

bool sprof_memory_files_add(struct sprof_memory_files *files, const char *smaps)
{
	struct sprof_smaps_area area;

	while (sprof_smaps_next(&smaps, &area)) {
		if (!add_area(files, &area))
			return false;
	}
	if (files->count)
		qsort(files->items, files->count, sizeof(*files->items), compare);
	return true;
}

void sprof_memory_files_finish(struct sprof_memory_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->items[i].name);
	free(files->items);
	*files = (struct sprof_memory_files){0};
}
