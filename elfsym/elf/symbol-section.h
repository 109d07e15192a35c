/* The section of a symbol, also in files with more sections than 16 bits can number. */
#ifndef SPROF_ELFSYM_ELF_SYMBOL_SECTION_H
#define SPROF_ELFSYM_ELF_SYMBOL_SECTION_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

/* A symbol table, and its section numbers of 32 bits; NULL: it has none. */
struct sprof_symbol_sections {
	Elf_Data *symbols, *numbers;
};

struct sprof_symbol_sections sprof_symbol_sections_of(Elf *elf, Elf_Scn *table);

/* Returns false if the symbol does not exist, or is in no section. */
bool sprof_symbol_section(const struct sprof_symbol_sections *sections, int symbol, size_t *ret);

#endif
