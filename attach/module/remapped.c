/*
 * Some programs copy their code into anonymous memory, and map that over the original to have it on
 * huge pages (iodlr, BOLT's hugify). Such code is recognised by its content, and by its place: the
 * one where the headers of a file mapped nearby put code. Does not find code that was moved
 * elsewhere.
 */
#include "attach/module/remapped.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/module/file.h"
#include "attach/proc/memory.h"
#include "base/maps-text.h"

enum {
	MAX_DISTANCE = 16, /* in mappings: from the code to a mapping of its file */
	MAX_HEADERS = 64,
	PLACES = 16, /* where the content is compared */
	PLACE_SIZE = 64,
};

struct search {
	const struct sprof_maps_source *source;
	struct sprof_modules *modules;
	struct sprof_maps *maps;
	struct sprof_maps_line *lines; /* as many as the mappings */
};

/* The part of a file that belongs at an address: `size` bytes at the offset. */
struct piece {
	uint64_t address, offset, size;
};

static bool is_file(const struct sprof_maps_line *line)
{
	return line->inode && line->path_length && line->path[0] == '/';
}

/*
 * The address of the file's first byte, where its headers are: in a mapping below the code, or in
 * the code's own mapping if the linker put both into one segment.
 */
static uint64_t find_begin(const struct search *search, size_t code, size_t near)
{
	const struct sprof_maps_line *file = &search->lines[near];

	for (size_t i = code; i-- > 0 && code - i <= MAX_DISTANCE;) {
		const struct sprof_maps_line *line = &search->lines[i];

		if (line->inode == file->inode && line->device == file->device && !line->offset)
			return line->start;
	}
	return search->lines[code].start;
}

/*
 * Finds the executable segment that contains this address, for a file whose first byte is at
 * `begin`.
 */
static bool find_piece(const struct search *search, uint64_t begin,
	const struct sprof_mapping *code, struct piece *ret)
{
	const pid_t pid = search->source->live_tid;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	Elf64_Phdr segments[MAX_HEADERS];
	Elf64_Ehdr header;
	uint64_t bias = begin, offset;

	if (sprof_memory_read(pid, begin, &header, sizeof(header)) != sizeof(header) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phnum > MAX_HEADERS ||
		header.e_phentsize != sizeof(*segments) ||
		sprof_memory_read(pid, begin + header.e_phoff, segments,
			header.e_phnum * sizeof(*segments)) != header.e_phnum * sizeof(*segments))
		return false;
	for (size_t i = 0; i < header.e_phnum; i++) {
		const Elf64_Phdr *segment = &segments[i];

		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_offset < page)
			bias = begin - segment->p_vaddr / page * page;
		offset = code->start - bias - segment->p_vaddr / page * page;
		if (!(segment->p_flags & PF_X) || offset >= segment->p_filesz)
			continue;
		*ret = (struct piece){code->start, segment->p_offset / page * page + offset,
			segment->p_filesz - offset};
		if (ret->size > code->end - code->start)
			ret->size = code->end - code->start;
		return true;
	}
	return false;
}

/* Compares in several places. Zeroes prove nothing. */
static bool has_content(const struct search *search, int file, const struct piece *piece)
{
	static const uint8_t zeroes[PLACE_SIZE];
	uint8_t of_file[PLACE_SIZE], of_memory[PLACE_SIZE];
	bool has_any = false;

	if (piece->size < PLACE_SIZE)
		return false;
	for (uint64_t i = 0; i < PLACES; i++) {
		const uint64_t at = (piece->size - PLACE_SIZE) / (PLACES - 1) * i;

		if (pread(file, of_file, PLACE_SIZE, (off_t)(piece->offset + at)) != PLACE_SIZE ||
			sprof_memory_read(search->source->live_tid, piece->address + at, of_memory,
				PLACE_SIZE) != PLACE_SIZE ||
			memcmp(of_file, of_memory, PLACE_SIZE) != 0)
			return false;
		has_any |= memcmp(of_file, zeroes, PLACE_SIZE) != 0;
	}
	return has_any;
}

/* Opens the module of a line. NULL: its file can't be opened. */
static struct sprof_module *open_module(const struct search *search, size_t line)
{
	const struct sprof_maps_line *found = &search->lines[line];
	const uint32_t id = sprof_maps_module_of(found, search->source->live_tid, search->modules);
	struct sprof_module *module =
		id == SPROF_MAPPING_NO_MODULE ? NULL : sprof_modules_renew(search->modules, id);

	if (module && module->fd < 0 && module->opener != search->source->live_tid) {
		module->opener = search->source->live_tid;
		sprof_module_file_open(module, search->source->live_tid, found->start, found->end);
	}
	return module && module->fd >= 0 ? module : NULL;
}

/* Whether the code belongs to the file that is mapped near it. */
static bool try_file(const struct search *search, size_t code, size_t near)
{
	struct sprof_mapping *mapping = &search->maps->items[code];
	const uint64_t begin = find_begin(search, code, near);
	const struct sprof_module *module;
	struct piece piece;

	if (!find_piece(search, begin, mapping, &piece))
		return false;
	module = open_module(search, near);
	if (!module || !has_content(search, module->fd, &piece))
		return false;
	mapping->module = module->id;
	mapping->offset = piece.offset;
	return true;
}

static void find_file(const struct search *search, size_t code)
{
	size_t below = code, above = code;

	for (size_t i = 0; i < MAX_DISTANCE && below > 0; i++) {
		if (is_file(&search->lines[--below]) && try_file(search, code, below))
			return;
	}
	for (size_t i = 0; i < MAX_DISTANCE && above + 1 < search->maps->count; i++) {
		if (is_file(&search->lines[++above]) && try_file(search, code, above))
			return;
	}
}

static bool is_anonymous(const struct search *search, size_t i)
{
	const uint32_t module = search->maps->items[i].module;

	return module != SPROF_MAPPING_NO_MODULE &&
		sprof_modules_get(search->modules, module)->kind == SPROF_MODULE_ANONYMOUS;
}

/* Requires that each line made one mapping. Returns false if not, or if out of memory. */
static bool read_lines(struct search *search)
{
	const char *text = search->source->text;
	size_t count = 0;

	search->lines = calloc(search->maps->count + 1, sizeof(*search->lines));
	while (search->lines && count <= search->maps->count &&
		sprof_maps_parse_line(&text, &search->lines[count]))
		count++;
	return count == search->maps->count;
}

void sprof_maps_find_remapped(struct sprof_maps *maps, const struct sprof_maps_source *source,
	struct sprof_modules *modules)
{
	struct search search = {.source = source, .modules = modules, .maps = maps};

	for (size_t i = 0; i < maps->count; i++) {
		if (!is_anonymous(&search, i))
			continue;
		if (!search.lines && !read_lines(&search))
			break;
		find_file(&search, i);
	}
	free(search.lines);
}
