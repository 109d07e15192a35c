/*
 * Variables by link-time address: the file has no bytes for zero-initialised data. symtab.c has
 * functions.
 */
#include "elfsym/elf/data.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

/* The name of a symbol; it must end inside its section. */
static const char *name_of(const Elf_Data *strings, const GElf_Sym *symbol)
{
	const char *all = strings->d_buf;

	if (!all || symbol->st_name >= strings->d_size || !all[symbol->st_name] ||
		!memchr(all + symbol->st_name, '\0', strings->d_size - symbol->st_name))
		return NULL;
	return all + symbol->st_name;
}

static bool holds(const GElf_Sym *symbol, uint64_t address)
{
	return GELF_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_shndx != SHN_UNDEF &&
		address >= symbol->st_value && address - symbol->st_value < symbol->st_size;
}

static void search(
	Elf_Data *symbols, const Elf_Data *strings, uint64_t address, struct sprof_variable *best)
{
	GElf_Sym symbol;

	for (int i = 1; gelf_getsym(symbols, i, &symbol); i++) {
		const char *name;

		if (!holds(&symbol, address) || (best->name && symbol.st_size >= best->size))
			continue;
		name = name_of(strings, &symbol);
		if (name)
			*best = (struct sprof_variable){.name = name,
				.name_length = strcspn(name, "@"),
				.address = symbol.st_value,
				.size = symbol.st_size};
	}
}

bool sprof_data_find(const struct sprof_image *image, uint64_t address, struct sprof_variable *ret)
{
	struct sprof_variable best = {0};
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(image->elf, section))) {
		Elf_Scn *string_section;
		Elf_Data *symbols, *strings;

		if (!gelf_getshdr(section, &header) ||
			(header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		string_section = elf_getscn(image->elf, header.sh_link);
		symbols = elf_getdata(section, NULL);
		strings = string_section ? elf_getdata(string_section, NULL) : NULL;
		if (symbols && strings)
			search(symbols, strings, address, &best);
	}
	*ret = best;
	return best.name;
}

bool sprof_data_address(const struct sprof_image *image, uint64_t distance, uint64_t *ret_address)
{
	const struct sprof_segment *first = image->segments;

	if (!image->segment_count)
		return false;
	for (size_t i = 1; i < image->segment_count; i++) {
		if (image->segments[i].address < first->address)
			first = &image->segments[i];
	}
	*ret_address = first->address - first->offset + distance;
	return true;
}
