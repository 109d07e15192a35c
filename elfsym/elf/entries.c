/*
 * Walks the symbol tables of one ELF file. Does not choose among several symbols, and does not
 * handle files without sections: symtab.c does both, for functions.
 */
#include "elfsym/elf/entries.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "elfsym/elf/symbol-section.h"

struct table {
	Elf *elf;
	struct sprof_symbol_sections sections;
	size_t section_names;
	bool is_dynamic;
};

/* NULL: of no use to people. */
static const char *type_name(unsigned type, bool in_code)
{
	switch (type) {
	case STT_NOTYPE:
		return in_code ? "label" : "notype";
	case STT_OBJECT:
		return "object";
	case STT_FUNC:
		return "function";
	case STT_COMMON:
		return "common";
	case STT_TLS:
		return "tls";
	case STT_GNU_IFUNC:
		return "ifunc";
	default:
		return NULL;
	}
}

static const char *binding_name(unsigned binding)
{
	switch (binding) {
	case STB_LOCAL:
		return "local";
	case STB_GLOBAL:
		return "global";
	case STB_WEAK:
		return "weak";
	case STB_GNU_UNIQUE:
		return "unique";
	default:
		return "other";
	}
}

/* NULL: the section is broken, or the symbol is not defined. */
static const char *section_name(
	const struct table *table, int index, const GElf_Sym *symbol, bool *ret_in_code)
{
	Elf_Scn *section;
	GElf_Shdr header;
	size_t number;

	*ret_in_code = false;
	if (symbol->st_shndx == SHN_ABS)
		return "*ABS*";
	if (symbol->st_shndx == SHN_COMMON)
		return "COMMON";
	section = sprof_symbol_section(&table->sections, index, &number)
		? elf_getscn(table->elf, number)
		: NULL;
	if (!section || !gelf_getshdr(section, &header))
		return NULL;
	*ret_in_code = header.sh_flags & SHF_EXECINSTR;
	return elf_strptr(table->elf, table->section_names, header.sh_name);
}

static bool take_symbol(const struct table *table, int index, const GElf_Sym *symbol,
	sprof_entry_taker take, void *data)
{
	struct sprof_entry entry = {
		.address = symbol->st_value,
		.size = symbol->st_size,
		.binding = binding_name(GELF_ST_BIND(symbol->st_info)),
		.is_dynamic = table->is_dynamic,
	};

	if (symbol->st_name >= table->sections.strings_size ||
		!table->sections.strings[symbol->st_name])
		return true;
	entry.section = section_name(table, index, symbol, &entry.is_code);
	entry.type = type_name(GELF_ST_TYPE(symbol->st_info), entry.is_code);
	if (!entry.section || !entry.type)
		return true;
	entry.is_code = entry.is_code && strcmp(entry.type, "object") != 0;
	entry.name = table->sections.strings + symbol->st_name;
	entry.name_length = 1 + strcspn(entry.name + 1, "@");
	return take(data, &entry);
}

bool sprof_entries_visit(void *elf, sprof_entry_taker take, void *data)
{
	struct table table = {.elf = elf};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	if (elf_getshdrstrndx(elf, &table.section_names) != 0)
		return true;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
			(header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
			!sprof_symbol_sections_open(elf, section, &header, &table.sections))
			continue;
		table.is_dynamic = header.sh_type == SHT_DYNSYM;
		for (int i = 1; gelf_getsym(table.sections.symbols, i, &symbol); i++) {
			if (!take_symbol(&table, i, &symbol, take, data))
				return false;
		}
	}
	return true;
}
