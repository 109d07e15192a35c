/*
 * What the tests and the fuzzing of rows computed from code share: an ELF file in memory around some code and a few
 * symbols. The code is the end of the file, so that a sanitizer sees every byte too far.
 */
#pragma once

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/elf/image.h"

/* Where things are in the file. */
enum {
	CODE_SECTIONS_AT = 0x100,
	CODE_STRINGS_AT = 0x400,
	CODE_STRINGS_SIZE = 0x400,
	CODE_SYMBOLS_AT = 0x800,
	CODE_MOST_SYMBOLS = 64,
	CODE_AT = 0x1000,
	CODE_ADDRESS = 0x401000,
};

struct code_symbol {
	const char *name;
	uint32_t at; /* offset in the code */
};

/* Code of a program, and what it has besides. */
struct code_program {
	const uint8_t *code;
	size_t size;
	const struct code_symbol *symbols;
	size_t symbol_count; /* 0: the file has no sections */
	bool is_dynamic;     /* ET_DYN */
};

static inline void code_image_put_headers(uint8_t *bytes, const struct code_program *program)
{
	const Elf64_Phdr segment = {PT_LOAD, PF_R | PF_X, CODE_AT, CODE_ADDRESS, CODE_ADDRESS,
		program->size, program->size, 1};
	const Elf64_Ehdr header = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = program->is_dynamic ? ET_DYN : ET_EXEC,
#if defined(__aarch64__)
		.e_machine = EM_AARCH64,
#else
		.e_machine = EM_X86_64,
#endif
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_shoff = program->symbol_count ? CODE_SECTIONS_AT : 0,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(segment),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = program->symbol_count ? 4 : 0,
		.e_shstrndx = program->symbol_count ? 3 : 0,
	};

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), &segment, sizeof(segment));
}

static inline void code_image_put_symbols(uint8_t *bytes, const struct code_program *program)
{
	const Elf64_Shdr sections[] = {
		{.sh_type = SHT_NULL},
		{.sh_name = 1,
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = CODE_ADDRESS,
			.sh_offset = CODE_AT,
			.sh_size = program->size},
		{.sh_name = 7,
			.sh_type = SHT_SYMTAB,
			.sh_offset = CODE_SYMBOLS_AT,
			.sh_link = 3,
			.sh_size = (program->symbol_count + 1) * sizeof(Elf64_Sym),
			.sh_entsize = sizeof(Elf64_Sym)},
		{.sh_name = 15,
			.sh_type = SHT_STRTAB,
			.sh_offset = CODE_STRINGS_AT,
			.sh_size = CODE_STRINGS_SIZE},
	};
	static const char names[] = "\0.text\0.symtab\0.strtab";
	size_t used = sizeof(names);

	memcpy(bytes + CODE_SECTIONS_AT, sections, sizeof(sections));
	memcpy(bytes + CODE_STRINGS_AT, names, sizeof(names));
	for (size_t i = 0; i < program->symbol_count; i++) {
		const struct code_symbol *symbol = &program->symbols[i];
		const Elf64_Sym entry = {.st_name = (uint32_t)used,
			.st_shndx = 1,
			.st_size = 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_value = CODE_ADDRESS + symbol->at};

		if (used + strlen(symbol->name) + 1 > CODE_STRINGS_SIZE || i >= CODE_MOST_SYMBOLS)
			abort();
		memcpy(bytes + CODE_STRINGS_AT + used, symbol->name, strlen(symbol->name) + 1);
		used += strlen(symbol->name) + 1;
		memcpy(bytes + CODE_SYMBOLS_AT + (i + 1) * sizeof(entry), &entry, sizeof(entry));
	}
}

/* NULL: it makes no image. */
static inline struct sprof_image *code_image_open(const struct code_program *program)
{
	uint8_t *bytes = calloc(1, CODE_AT + program->size);
	struct sprof_image *image;
	struct sprof_error err;

	if (!bytes)
		abort();
	code_image_put_headers(bytes, program);
	if (program->symbol_count)
		code_image_put_symbols(bytes, program);
	if (program->size)
		memcpy(bytes + CODE_AT, program->code, program->size);
	return sprof_image_open_bytes(bytes, CODE_AT + program->size, "code", &image, &err) ? image
											    : NULL;
}
