/*
 * What the dynamic linker uses of a file, found through program headers. So it needs no sections,
 * which a stripped file or an image from a process's memory may lack.
 */
#ifndef SPROF_ELFSYM_DYNAMIC_H
#define SPROF_ELFSYM_DYNAMIC_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/image.h"

/* Views into the image; zero where the file has none. */
struct sprof_dynamic {
	const ElfW(Sym) *symbols;
	size_t symbol_count;
	const char *strings; /* ends with a NUL */
	size_t strings_size;
	const ElfW(Rela) *plt_relocations, *relocations;
	size_t plt_relocation_count, relocation_count;
};

/* False: no dynamic section, or an implausible one. */
bool sprof_dynamic_read(const struct sprof_image *image, struct sprof_dynamic *ret);

/* The name of a symbol; NULL: no such symbol, or it has none. */
const char *sprof_dynamic_name(const struct sprof_dynamic *dynamic, size_t symbol);

#endif
