/* The section of a symbol, also in files with more sections than 16 bits can number. */
#pragma once

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>

/* A symbol table, its section numbers of 32 bits (NULL: it has none), and its strings. */
struct sprof_symbol_sections {
	Elf_Data *symbols, *numbers;
	const char *strings;
	size_t strings_size; /* up to and with the last NUL */
};

/* Returns false if the table has no symbols or no strings. */
bool sprof_symbol_sections_open(
	Elf *elf, Elf_Scn *table, const GElf_Shdr *header, struct sprof_symbol_sections *ret);

/* Returns false if the symbol does not exist, or is in no section. */
bool sprof_symbol_section(const struct sprof_symbol_sections *sections, int symbol, size_t *ret);
