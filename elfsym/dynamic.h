/*
 * What the dynamic linker uses of a file: found through its program headers, so that it is there
 * without sections too, be they stripped or the file only known from a process's memory.
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
	const ElfW(Sym) * symbols;
	size_t symbol_count;
	const char *strings; /* ends with a NUL */
	size_t strings_size;
	const ElfW(Rela) * plt_relocations, *relocations;
	size_t plt_relocation_count, relocation_count;
};

/* False: the file has no dynamic section that makes sense. */
bool sprof_dynamic_read(const struct sprof_image *image, struct sprof_dynamic *ret);

/* The name of a symbol; NULL: no such symbol, or it has none. */
const char *sprof_dynamic_name(const struct sprof_dynamic *dynamic, size_t symbol);

#endif
