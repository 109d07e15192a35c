/*
 * Compressed debug sections. A mutation of compressed bytes only ever breaks their checksum, so the
 * input is what is in the sections, and is compressed here: a row of pieces, each of which says its
 * name, how it is compressed and how long it is. What comes out must be what went in, and is then
 * read as DWARF; pieces that are bytes behind any header go in as they are.
 */
#include <elf.h>
#include <stdio.h>
#include <zlib.h>

#include "elfsym/dwarf/expand.h"
#include "elfsym/names/symbols.h"
#include "tests/fuzz/fuzz.h"

enum { PIECES = 12, FILE_SIZE = 1 << 18, ADDRESS = 0x1000, TEXT_SIZE = 1 << 20, CHDR_ZSTD = 2 };

enum way { PLAIN, CHDR, ZDEBUG, ANY_CHDR, ANY_ZDEBUG, ZSTD, WAYS };

static const char *const names[] = {"debug_info", "debug_abbrev", "debug_str", "debug_line",
	"debug_line_str", "debug_ranges", "debug_rnglists", "debug_aranges", "debug_types",
	"gnu_debugaltlink", "debug_addr", "debug_macro"};

enum {
	NAMES = sizeof(names) / sizeof(names[0]),
	ALTLINK = 9 /* has no .z form */
};

struct piece {
	size_t name;
	enum way way;
	const uint8_t *bytes;
	size_t size;
};

/* The file as it grows. Sections: none, the pieces, the names. */
struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[PIECES + 2];
	char names[32 * (PIECES + 1)];
	uint8_t bytes[FILE_SIZE];
	size_t used;
};

static size_t cut(const uint8_t *data, size_t size, struct piece pieces[PIECES])
{
	size_t count = 0;

	while (count < PIECES && size >= 4) {
		struct piece *piece = &pieces[count++];

		piece->name = data[0] % NAMES;
		piece->way = data[1] % (piece->name == ALTLINK ? ZDEBUG : WAYS);
		piece->size = data[2] | (size_t)data[3] << 8;
		piece->bytes = data + 4;
		if (piece->size > size - 4)
			piece->size = size - 4;
		data += 4 + piece->size;
		size -= 4 + piece->size;
	}
	return count;
}

static void append(struct file *file, const void *bytes, size_t size)
{
	fuzz_require(size <= sizeof(file->bytes) - file->used);
	if (size)
		memcpy(file->bytes + file->used, bytes, size);
	file->used += size;
}

static void append_compressed(struct file *file, const struct piece *piece)
{
	uLongf size = sizeof(file->bytes) - file->used;

	fuzz_require(
		compress2(file->bytes + file->used, &size, piece->bytes, piece->size, 1) == Z_OK);
	file->used += size;
}

/* The simplest that there is: a frame of one block, which is the bytes themselves (RFC 8878). */
static void append_zstd(struct file *file, const struct piece *piece)
{
	uint32_t size = (uint32_t)piece->size, block = size << 3 | 1;

	append(file, (uint8_t[]){0x28, 0xb5, 0x2f, 0xfd, 0xa0}, 5);
	append(file, &size, 4);
	append(file, &block, 3);
	append(file, piece->bytes, size);
}

static void append_content(struct file *file, const struct piece *piece)
{
	const Elf64_Chdr chdr = {
		.ch_type = piece->way == ZSTD ? CHDR_ZSTD : ELFCOMPRESS_ZLIB,
		.ch_size = piece->size,
		.ch_addralign = 1,
	};
	uint8_t zdebug[12] = "ZLIB";

	for (size_t i = 0; i < 8; i++)
		zdebug[11 - i] = (uint8_t)((uint64_t)piece->size >> 8 * i);
	if (piece->way == CHDR || piece->way == ZSTD)
		append(file, &chdr, sizeof(chdr));
	if (piece->way == ZDEBUG)
		append(file, zdebug, sizeof(zdebug));
	if (piece->way == CHDR || piece->way == ZDEBUG)
		append_compressed(file, piece);
	else if (piece->way == ZSTD)
		append_zstd(file, piece);
	else
		append(file, piece->bytes, piece->size);
}

static bool is_gnu(const struct piece *piece)
{
	return piece->way == ZDEBUG || piece->way == ANY_ZDEBUG;
}

static void add_piece(struct file *file, const struct piece *piece, size_t index)
{
	Elf64_Shdr *section = &file->sections[index + 1];
	size_t begin = file->used;

	append_content(file, piece);
	section->sh_name = (uint32_t)(32 * (index + 1));
	snprintf(file->names + section->sh_name, 32, ".%s%s", is_gnu(piece) ? "z" : "",
		names[piece->name]);
	section->sh_type = SHT_PROGBITS;
	section->sh_flags = piece->way && !is_gnu(piece) ? SHF_COMPRESSED : 0;
	section->sh_offset = offsetof(struct file, bytes) + begin;
	section->sh_size = file->used - begin;
	section->sh_addralign = 1;
}

static struct file *make_file(const struct piece *pieces, size_t count)
{
	struct file *file = calloc(1, sizeof(*file));

	fuzz_require(file != NULL);
	file->header = (Elf64_Ehdr)
	{
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT},
		.e_type = ET_DYN,
#if defined(__aarch64__)
		.e_machine = EM_AARCH64,
#else
		.e_machine = EM_X86_64,
#endif
		.e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = offsetof(struct file, segment), .e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1, .e_shoff = offsetof(struct file, sections),
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = (uint16_t)(count + 2),
		.e_shstrndx = (uint16_t)(count + 1),
	};
	file->segment = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = ADDRESS,
		.p_memsz = TEXT_SIZE,
		.p_filesz = TEXT_SIZE};
	for (size_t i = 0; i < count; i++)
		add_piece(file, &pieces[i], i);
	file->sections[count + 1] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct file, names),
		.sh_size = sizeof(file->names),
	};
	return file;
}

/* The first section of each name counts, if there is something in it. */
static void check_piece(
	const struct sprof_image *expanded, const struct piece *pieces, size_t index)
{
	const struct piece *piece = &pieces[index];
	struct sprof_section section;
	char name[32];

	if (piece->way == ANY_CHDR || piece->way == ANY_ZDEBUG || !piece->size)
		return;
	for (size_t i = 0; i < index; i++) {
		if (pieces[i].name == piece->name)
			return;
	}
	snprintf(name, sizeof(name), ".%s", names[piece->name]);
	if (!sprof_image_section(expanded, name, &section))
		return; /* not one that names come from */
	fuzz_require(section.size == piece->size);
	fuzz_require(memcmp(section.bytes, piece->bytes, piece->size) == 0);
}

static void expand(const struct file *file, size_t size, const struct piece *pieces, size_t count)
{
	struct sprof_image *image, *expanded;
	struct sprof_error err;
	void *copy = malloc(size);

	fuzz_require(copy != NULL);
	memcpy(copy, file, size);
	fuzz_require(sprof_image_open_bytes(copy, size, "fuzzed", &image, &err));
	expanded = sprof_expand(image, true);
	for (size_t i = 0; expanded && i < count; i++)
		check_piece(expanded, pieces, i);
	sprof_image_close(expanded);
	sprof_image_close(image);
}

static void resolve(const struct file *file, size_t size)
{
	const struct sprof_symbols_options options = {.debug_root = "/nonexistent"};
	const struct sprof_module_key key = {.kind = SPROF_MODULE_MEMORY, .path = "fuzzed"};
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_locations locations;
	struct sprof_symbols *symbols;
	struct sprof_module *module;
	struct sprof_error err;
	bool is_new;

	module = sprof_modules_intern(modules, &key, &is_new);
	module->image = malloc(size);
	fuzz_require(module->image != NULL);
	memcpy(module->image, file, size);
	module->image_size = size;
	if (sprof_symbols_create(modules, &options, &symbols, &err)) {
		for (uint64_t offset = 0; offset < 0x400; offset += 0x40)
			fuzz_require(sprof_symbols_resolve(symbols, 0, offset, &locations, &err));
		sprof_symbols_destroy(symbols);
	}
	sprof_modules_destroy(modules);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct piece pieces[PIECES];
	size_t count, file_size;
	struct file *file;

	if (size > FILE_SIZE / 2)
		return 0;
	count = cut(bytes, size, pieces);
	file = make_file(pieces, count);
	file_size = offsetof(struct file, bytes) + file->used;
	expand(file, file_size, pieces, count);
	resolve(file, file_size);
	free(file);
	return 0;
}
