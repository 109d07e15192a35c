/*
 * Prepares compressed files for libdw. libdw decompresses every debug section at the start,
 * including those for macros and frames, which are not needed, and those for variables, which names
 * don't need. So libdw gets another file, in memory, with only the needed sections, decompressed.
 * Handles section headers and both kinds of compressed sections (ELF's Chdr, and GNU's .zdebug).
 * Does not interpret the sections.
 */
#include "elfsym/dwarf/expand.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/strings.h"

#ifndef ELFCOMPRESS_ZSTD /* glibc before 2.37 */
#define ELFCOMPRESS_ZSTD 2
#endif

static const char *const wanted[] = {".debug_info", ".debug_abbrev", ".debug_str", ".debug_line",
	".debug_line_str", ".debug_ranges", ".debug_rnglists", ".debug_aranges", ".debug_types",
	".gnu_debugaltlink", ".debug_loc", ".debug_loclists"};

enum {
	WANTED_COUNT = sizeof(wanted) / sizeof(wanted[0]),
	NAME_COUNT = WANTED_COUNT - 2, /* without those of variables */
	ALIGNMENT = 8,
	GNU_HEADER = 12, /* "ZLIB" and the size, big-endian */
};

/* A section in the old and the new file; size 0: absent. */
struct piece {
	const uint8_t *bytes;
	size_t byte_count;
	size_t offset, size;
	uint32_t compression; /* ELFCOMPRESS_...; 0: none */
};

struct plan {
	const struct sprof_image *debug;
	struct piece pieces[WANTED_COUNT];
	size_t size; /* of the pieces and the header */
	bool any_compressed, with_variables;
};

/*
 * zlib's largest compression ratio (https://zlib.net/zlib_tech.html). zstd's can be larger, but not
 * for debug information.
 */
enum { INFLATE_MAX_RATIO = 1032 };

static bool inflate_zlib(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size)
{
	uLongf length = ret_size;

	return uncompress(ret, &length, bytes, size) == Z_OK && length == ret_size;
}

/*
 * Locates the bytes after the header of a compressed section. Returns false for an unknown
 * compression.
 */
static bool set_sizes(struct piece *piece, bool is_gnu)
{
	Elf64_Chdr header;

	if (is_gnu) {
		if (piece->byte_count < GNU_HEADER || memcmp(piece->bytes, "ZLIB", 4) != 0)
			return false;
		for (size_t i = 4; i < GNU_HEADER; i++)
			piece->size = piece->size << 8 | piece->bytes[i];
		piece->bytes += GNU_HEADER;
		piece->byte_count -= GNU_HEADER;
		piece->compression = ELFCOMPRESS_ZLIB;
	} else {
		if (piece->byte_count < sizeof(header))
			return false;
		memcpy(&header, piece->bytes, sizeof(header));
		if (header.ch_type != ELFCOMPRESS_ZLIB && header.ch_type != ELFCOMPRESS_ZSTD)
			return false;
		piece->compression = header.ch_type;
		piece->size = header.ch_size;
		piece->bytes += sizeof(header);
		piece->byte_count -= sizeof(header);
	}
	return piece->size / INFLATE_MAX_RATIO <= piece->byte_count;
}

static size_t index_of(const char *name, bool is_gnu)
{
	size_t i = 0;

	while (i < WANTED_COUNT && strcmp(wanted[i] + 1, name + 1 + is_gnu) != 0)
		i++;
	return i;
}

/*
 * Returns false if the file should be used unchanged. A file with an address section may have units
 * in .dwo files, and libdw looks for those beside a file with a descriptor.
 */
static bool add_section(struct plan *plan, const char *name, const GElf_Shdr *header)
{
	bool is_gnu = sprof_string_starts_with(name, ".zdebug_");
	const struct sprof_image *debug = plan->debug;
	struct piece piece = {0};
	size_t index;

	if (name[0] != '.' || header->sh_type == SHT_NOBITS)
		return true;
	if (strcmp(name + 1 + is_gnu, "debug_addr") == 0)
		return false;
	index = index_of(name, is_gnu);
	if (index >= (plan->with_variables ? WANTED_COUNT : NAME_COUNT) || plan->pieces[index].size)
		return true;
	if (header->sh_offset > debug->size || header->sh_size > debug->size - header->sh_offset)
		return false;
	piece.bytes = debug->bytes + header->sh_offset;
	piece.byte_count = piece.size = header->sh_size;
	if (is_gnu || header->sh_flags & SHF_COMPRESSED) {
		piece.size = 0;
		plan->any_compressed = true;
		if (!set_sizes(&piece, is_gnu))
			return false;
	}
	plan->pieces[index] = piece;
	return true;
}

static bool find_sections(struct plan *plan)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	const char *name;
	size_t strings;

	if (elf_getshdrstrndx(plan->debug->elf, &strings) < 0)
		return false;
	while ((section = elf_nextscn(plan->debug->elf, section))) {
		if (!gelf_getshdr(section, &header))
			return false;
		name = elf_strptr(plan->debug->elf, strings, header.sh_name);
		if (name && !add_section(plan, name, &header))
			return false;
	}
	return plan->any_compressed;
}

static size_t align(size_t offset)
{
	return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void place(struct plan *plan)
{
	plan->size = align(sizeof(Elf64_Ehdr));
	for (size_t i = 0; i < WANTED_COUNT; i++) {
		plan->pieces[i].offset = plan->size;
		plan->size = align(plan->size + plan->pieces[i].size);
	}
}

/* The wanted sections, absent ones empty, and the section of names. */
struct tail {
	Elf64_Shdr sections[WANTED_COUNT + 2];
	char names[256];
};

static size_t add_name(struct tail *tail, size_t at, const char *name, Elf64_Shdr *section)
{
	section->sh_name = (uint32_t)at;
	memcpy(tail->names + at, name, strlen(name) + 1);
	return at + strlen(name) + 1;
}

static void write_tail(const struct plan *plan, uint8_t *file)
{
	struct tail tail = {0};
	Elf64_Shdr *names = &tail.sections[WANTED_COUNT + 1];
	size_t at = 1;

	for (size_t i = 0; i < WANTED_COUNT; i++) {
		Elf64_Shdr *section = &tail.sections[i + 1];

		if (!plan->pieces[i].size)
			continue;
		at = add_name(&tail, at, wanted[i], section);
		section->sh_type = SHT_PROGBITS;
		section->sh_offset = plan->pieces[i].offset;
		section->sh_size = plan->pieces[i].size;
		section->sh_addralign = 1;
	}
	names->sh_size = add_name(&tail, at, ".shstrtab", names);
	names->sh_type = SHT_STRTAB;
	names->sh_offset = plan->size + offsetof(struct tail, names);
	names->sh_addralign = 1;
	memcpy(file + plan->size, &tail, sizeof(tail));
}

/* The file's header, except the fields that change. Returns false for the wrong ELF class. */
static bool write_header(const struct plan *plan, uint8_t *file)
{
	Elf64_Ehdr header;

	memcpy(&header, plan->debug->bytes, sizeof(header));
	if (header.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	header.e_type = ET_DYN;
	header.e_phoff = 0;
	header.e_phnum = 0;
	header.e_shoff = plan->size + offsetof(struct tail, sections);
	header.e_shentsize = sizeof(Elf64_Shdr);
	header.e_shnum = WANTED_COUNT + 2;
	header.e_shstrndx = WANTED_COUNT + 1;
	memcpy(file, &header, sizeof(header));
	return true;
}

static bool write_piece(const struct piece *piece, uint8_t *file)
{
	uint8_t *to = file + piece->offset;

	if (piece->compression == ELFCOMPRESS_ZLIB)
		return inflate_zlib(piece->bytes, piece->byte_count, to, piece->size);
	if (piece->compression == ELFCOMPRESS_ZSTD)
		/* An error is an impossibly large size. */
		return ZSTD_decompress(to, piece->size, piece->bytes, piece->byte_count) ==
			piece->size;
	if (piece->size)
		memcpy(to, piece->bytes, piece->size);
	return true;
}

static bool write_file(const struct plan *plan, uint8_t *file)
{
	if (!write_header(plan, file))
		return false;
	for (size_t i = 0; i < WANTED_COUNT; i++) {
		if (!write_piece(&plan->pieces[i], file))
			return false;
	}
	write_tail(plan, file);
	return true;
}

struct sprof_image *sprof_expand(const struct sprof_image *debug, bool with_variables)
{
	struct plan plan = {.debug = debug, .with_variables = with_variables};
	struct sprof_error ignored;
	struct sprof_image *image;
	uint8_t *file;

	if (debug->size < sizeof(Elf64_Ehdr) || !find_sections(&plan))
		return NULL;
	place(&plan);
	file = calloc(1, plan.size + sizeof(struct tail));
	if (!file || !write_file(&plan, file)) {
		free(file);
		return NULL;
	}
	if (!sprof_image_open_bytes(
		    file, plan.size + sizeof(struct tail), "debug sections", &image, &ignored))
		return NULL;
	return image;
}
