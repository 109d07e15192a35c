/*
 * Reconstructs a file from its mappings. Each mapping's bytes go to their file offset, so offsets
 * have the same meaning as in the real file. Parts that were never mapped (section headers, debug
 * information) are zero. Data contains the process's changes, which does not matter for reading
 * code.
 */
#include "attach/module/memory.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "attach/proc/memory.h"
#include "base/maps-text.h"

/* Larger than the code of any program known; reading this much takes about 50 ms. */
enum { LARGEST_FILE = 256 << 20 };

/* Whether the mapping belongs to the module and lies at a plausible offset. */
static bool is_of_module(const struct sprof_maps_line *line, const struct sprof_module *module)
{
	return line->inode == module->inode && line->device == module->device &&
		line->start < line->end && line->offset <= LARGEST_FILE &&
		line->end - line->start <= LARGEST_FILE;
}

/* The size up to the end of the last mapping. 0: too large, or the file's start is not mapped. */
static size_t file_size(struct sprof_module *module, const char *maps)
{
	struct sprof_maps_line line;
	uint64_t size = 0;
	bool has_beginning = false;

	while (sprof_maps_parse_line(&maps, &line)) {
		if (!is_of_module(&line, module))
			continue;
		if (line.offset + (line.end - line.start) > size)
			size = line.offset + (line.end - line.start);
		if (line.offset == 0 && !has_beginning) {
			module->image_base = line.start;
			has_beginning = true;
		}
	}
	return has_beginning && size <= LARGEST_FILE ? size : 0;
}

/* The section headers are not mapped, so the ELF header must not refer to them. */
static bool clean_header(void *bytes, size_t size)
{
	Elf64_Ehdr *header = bytes;

	if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	header->e_shoff = 0;
	header->e_shnum = 0;
	header->e_shstrndx = SHN_UNDEF;
	return true;
}

void sprof_module_memory_read(struct sprof_module *module, pid_t pid, const char *maps)
{
	size_t size = file_size(module, maps), got = 0;
	struct sprof_maps_line line;
	char *bytes = size ? calloc(1, size) : NULL;

	if (!bytes)
		return;
	while (sprof_maps_parse_line(&maps, &line)) {
		if (is_of_module(&line, module))
			got += sprof_memory_read(
				pid, line.start, bytes + line.offset, line.end - line.start);
	}
	if (!got || !clean_header(bytes, size)) {
		free(bytes);
		return;
	}
	module->image = bytes;
	module->image_size = size;
}
