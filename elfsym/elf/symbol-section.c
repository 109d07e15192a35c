/*
 * A symbol has 16 bits for the number of its section. Larger numbers are in a separate table beside
 * the symbol table (ELF gABI, SHN_XINDEX and SHT_SYMTAB_SHNDX). gcc makes files that need it with a
 * section per function.
 */
#include "elfsym/elf/symbol-section.h"

/* Linkers and assemblers put it right after the symbol table. */
enum { MAX_DISTANCE = 16 };

/* elf_scnshndx() knows it only once libelf has happened to read that section. */
static Elf_Data *find_numbers(Elf *elf, Elf_Scn *table)
{
	Elf_Scn *section = table;
	GElf_Shdr header;

	for (int i = 0; i < MAX_DISTANCE && (section = elf_nextscn(elf, section)); i++) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB_SHNDX &&
			header.sh_link == elf_ndxscn(table))
			return elf_getdata(section, NULL);
	}
	return NULL;
}

bool sprof_symbol_sections_open(
	Elf *elf, Elf_Scn *table, const GElf_Shdr *header, struct sprof_symbol_sections *ret)
{
	Elf_Scn *string_section = elf_getscn(elf, header->sh_link);
	Elf_Data *strings = string_section ? elf_getdata(string_section, NULL) : NULL;

	*ret = (struct sprof_symbol_sections){
		.symbols = elf_getdata(table, NULL),
		.numbers = find_numbers(elf, table),
	};
	if (!ret->symbols || !ret->symbols->d_buf || !strings || !strings->d_buf)
		return false;
	ret->strings = strings->d_buf;
	ret->strings_size = strings->d_size;
	while (ret->strings_size && ret->strings[ret->strings_size - 1])
		ret->strings_size--;
	return ret->strings_size;
}

bool sprof_symbol_section(const struct sprof_symbol_sections *sections, int symbol, size_t *ret)
{
	Elf32_Word number = 0;
	GElf_Sym found;

	if (!gelf_getsymshndx(sections->symbols, sections->numbers, symbol, &found, &number))
		return false;
	*ret = found.st_shndx == SHN_XINDEX ? number : found.st_shndx;
	return *ret != SHN_UNDEF &&
		(found.st_shndx < SHN_LORESERVE || found.st_shndx == SHN_XINDEX);
}
