/*
 * A file's dynamic linking tables, found through program headers. Needs no sections, which stripped
 * files and images read from a process may lack.
 */
#pragma once

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/elf/image.h"

/* Pointers into the image; zero if absent. */
struct sprof_dynamic {
	const ElfW(Sym) *symbols;
	size_t symbol_count;
	const char *strings; /* NUL-terminated */
	size_t strings_size;
	const ElfW(Rela) *plt_relocations, *relocations;
	size_t plt_relocation_count, relocation_count;
};

/* Returns false if there is no dynamic section, or it is implausible. */
bool sprof_dynamic_read(const struct sprof_image *image, struct sprof_dynamic *ret);

/* A symbol's name; NULL: no such symbol, or no name. */
const char *sprof_dynamic_name(const struct sprof_dynamic *dynamic, size_t symbol);
