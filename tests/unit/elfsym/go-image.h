/*
 * What the tests and the fuzzing of Go's table share: an ELF file in memory around a table, and everything that
 * reads a table called for it. The table is the end of the file, so that a sanitizer sees every byte too far.
 */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/go/lines.h"
#include "elfsym/go/rows.h"
#include "elfsym/go/runtime.h"

/* Where things are in the file, and from GO_BASE on in memory. Data begins behind the text. */
enum {
	GO_BASE = 0x400000,
	GO_SECTIONS_AT = 0x400,
	GO_STRINGS_AT = 0x600,
	GO_TEXT_AT = 0x1000,
	GO_TEXT_SIZE = 0x1000,
	GO_DATA_AT = 0x2000,
	GO_MODULE_AT = 0x2000, /* runtime.moduledata */
	GO_MODULE_WORDS = 48,
	GO_DYNAMIC_AT = 0x2180,
	GO_NOTE_AT = 0x21c0,
	GO_TREES_AT = 0x2200, /* what inline trees count from */
	GO_RELOCATIONS_AT = 0x2400,
	GO_RELOCATIONS = 80,
	GO_TABLE_AT = GO_RELOCATIONS_AT + GO_RELOCATIONS * 24,
};

enum { GO_TEXT = GO_BASE + GO_TEXT_AT, GO_TABLE = GO_BASE + GO_TABLE_AT };

#if defined(__x86_64__)
enum { GO_MACHINE = EM_X86_64, GO_RELATIVE = R_X86_64_RELATIVE };
#else
enum { GO_MACHINE = EM_AARCH64, GO_RELATIVE = R_AARCH64_RELATIVE };
#endif

struct go_image_options {
	bool is_dynamic;     /* ET_DYN: addresses are relocations, and 0 in the file */
	const char *section; /* the name of the table's section; NULL: the file has no sections */
	bool has_note;
};

struct go_image {
	uint8_t *bytes; /* from malloc() */
	size_t size;
	struct go_image_options options;
	size_t relocation_count;
};

static inline void go_image_put(struct go_image *image, size_t at, const void *bytes, size_t size)
{
	if (size)
		memcpy(image->bytes + at, bytes, size);
}

static inline void go_image_put_word(struct go_image *image, size_t at, uint64_t word)
{
	go_image_put(image, at, &word, sizeof(word));
}

static inline void go_image_relocate(
	struct go_image *image, size_t at, uint64_t info, uint64_t value)
{
	Elf64_Rela relocation = {
		.r_offset = GO_BASE + at, .r_info = info, .r_addend = (int64_t)value};

	if (image->relocation_count == GO_RELOCATIONS)
		abort();
	go_image_put(image, GO_RELOCATIONS_AT + image->relocation_count * sizeof(relocation),
		&relocation, sizeof(relocation));
	image->relocation_count++;
}

/* An address as the linker leaves it: in place, or in a relocation. */
static inline void go_image_put_address(struct go_image *image, size_t at, uint64_t address)
{
	go_image_put_word(image, at, image->options.is_dynamic ? 0 : address);
	if (image->options.is_dynamic)
		go_image_relocate(image, at, ELF64_R_INFO(0, GO_RELATIVE), address);
}

static inline void go_image_put_headers(struct go_image *image)
{
	const uint64_t data_size = image->size - GO_DATA_AT;
	const Elf64_Phdr segments[] = {
		{PT_LOAD, PF_R | PF_X, GO_TEXT_AT, GO_TEXT, GO_TEXT, GO_TEXT_SIZE, GO_TEXT_SIZE, 1},
		{PT_LOAD, PF_R | PF_W, GO_DATA_AT, GO_BASE + GO_DATA_AT, GO_BASE + GO_DATA_AT,
			data_size, data_size, 1},
		{PT_DYNAMIC, PF_R, GO_DYNAMIC_AT, GO_BASE + GO_DYNAMIC_AT, GO_BASE + GO_DYNAMIC_AT,
			0x40, 0x40, 8},
		{PT_NOTE, PF_R, GO_NOTE_AT, GO_BASE + GO_NOTE_AT, GO_BASE + GO_NOTE_AT, 0x18, 0x18,
			4},
	};
	const Elf64_Ehdr header = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = image->options.is_dynamic ? ET_DYN : ET_EXEC,
		.e_machine = GO_MACHINE,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_shoff = image->options.section ? GO_SECTIONS_AT : 0,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(segments[0]),
		.e_phnum = sizeof(segments) / sizeof(segments[0]),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = image->options.section ? 3 : 0,
		.e_shstrndx = image->options.section ? 2 : 0,
	};

	go_image_put(image, 0, &header, sizeof(header));
	go_image_put(image, sizeof(header), segments, sizeof(segments));
}

static inline void go_image_put_sections(struct go_image *image)
{
	const Elf64_Shdr sections[] = {
		{.sh_type = SHT_NULL},
		{
			.sh_name = 1,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC,
			.sh_addr = GO_TABLE,
			.sh_offset = GO_TABLE_AT,
			.sh_size = image->size - GO_TABLE_AT,
		},
		{
			.sh_name = 0,
			.sh_type = SHT_STRTAB,
			.sh_offset = GO_STRINGS_AT,
			.sh_size = 64,
		},
	};

	if (!image->options.section)
		return;
	go_image_put(image, GO_SECTIONS_AT, sections, sizeof(sections));
	go_image_put(image, GO_STRINGS_AT + 1, image->options.section,
		strlen(image->options.section) + 1);
}

static inline void go_image_put_note(struct go_image *image)
{
	static const uint32_t note[] = {4, 4, 4, 0x6f47, 0x12345678};

	if (image->options.has_note)
		go_image_put(image, GO_NOTE_AT, note, sizeof(note));
}

/* The dynamic section, when all relocations are there. */
static inline void go_image_put_dynamic(struct go_image *image)
{
	const uint64_t entries[] = {DT_RELA, GO_BASE + GO_RELOCATIONS_AT, DT_RELASZ,
		image->relocation_count * sizeof(Elf64_Rela), DT_NULL, 0};

	go_image_put(image, GO_DYNAMIC_AT, entries, sizeof(entries));
}

/* The file, with everything but code, trees, and what runtime.moduledata says. */
static inline struct go_image go_image_make(
	const struct go_image_options *options, const void *table, size_t size)
{
	struct go_image image = {.size = GO_TABLE_AT + size, .options = *options};

	image.bytes = calloc(1, image.size);
	if (!image.bytes)
		abort();
	go_image_put_headers(&image);
	go_image_put_sections(&image);
	go_image_put_note(&image);
	go_image_put(&image, GO_TABLE_AT, table, size);
	return image;
}

static inline uint64_t go_image_table_number(const struct go_image *image, size_t at, size_t size)
{
	uint64_t value = 0;

	if (at <= image->size - GO_TABLE_AT && size <= image->size - GO_TABLE_AT - at)
		memcpy(&value, image->bytes + GO_TABLE_AT + at, size);
	return value;
}

/* What the runtime's description says of a table of Go 1.18 or newer, by the header of the table. */
static inline void go_image_describe(struct go_image *image, size_t trees_word)
{
	uint64_t names = go_image_table_number(image, 32, 8);
	uint64_t first =
		go_image_table_number(image, (size_t)go_image_table_number(image, 64, 8), 4);
	const size_t at = GO_MODULE_AT;

	go_image_put_address(image, at, GO_TABLE);
	go_image_put_address(image, at + 1 * 8, GO_TABLE + names);
	go_image_put_address(image, at + 20 * 8, GO_TEXT + first);
	go_image_put_address(image, at + 22 * 8, GO_TEXT);
	go_image_put_address(image, at + trees_word * 8, GO_BASE + GO_TREES_AT);
}

/* The file is the image's from then on, or gone. NULL: it makes no image. */
static inline struct sprof_image *go_image_open(struct go_image *image)
{
	struct sprof_image *opened = NULL;
	struct sprof_error err;

	go_image_put_dynamic(image);
	if (!sprof_image_open_bytes(image->bytes, image->size, "go", &opened, &err))
		opened = NULL;
	image->bytes = NULL;
	return opened;
}

static inline void go_use_address(const struct sprof_go_table *table, uint64_t address)
{
	struct sprof_go_function function;
	struct sprof_go_value value;
	struct sprof_go_chain chain;
	struct sprof_cfi_row row = sprof_go_rows_find(table, address);
	uint64_t data;
	bool is_found = sprof_go_table_find(table, address, &function);

	if (row.end <= address && address != UINT64_MAX)
		abort();
	if (sprof_go_lines_find(table, address, &chain) != is_found)
		abort();
	for (size_t i = 0; i < chain.count; i++)
		if (!strlen(chain.items[i].name) ||
			(chain.items[i].file && !strlen(chain.items[i].file)))
			abort();
	if (!is_found)
		return;
	if (address < function.entry || address >= function.end)
		abort();
	if (sprof_go_table_value(table, &function, function.sp_values, address, &value) &&
		value.end <= address)
		abort();
	for (uint32_t number = 0; number < 8; number++) {
		sprof_go_table_pcdata(table, &function, number);
		sprof_go_table_funcdata(table, &function, number, &data);
		sprof_go_table_file(table, &function, number);
	}
}

/* Everything that reads a table, for places all over the text and around it. Whether there is a table. */
static inline bool go_use(const struct sprof_image *image)
{
	struct sprof_go_table *table = sprof_go_table_open(image);
	struct sprof_go_runtime runtime;
	struct sprof_go_function function;

	if (!table)
		return false;
	for (uint64_t at = 0; at < 0x100; at += 4)
		go_use_address(table, GO_TEXT + at);
	for (uint64_t at = 0x100; at <= GO_TEXT_SIZE; at += 64)
		go_use_address(table, GO_TEXT + at);
	go_use_address(table, 0);
	go_use_address(table, GO_TEXT - 1);
	go_use_address(table, UINT64_MAX);
	for (size_t i = 0; i < table->function_count && i < 64; i++) {
		if (sprof_go_table_get(table, i, &function))
			go_use_address(table, function.end - 1);
	}
	sprof_go_runtime_find(table, &runtime);
	sprof_go_table_close(table);
	return true;
}
