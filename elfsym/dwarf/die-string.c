/*
 * Checks that strings are terminated. libdw returns a pointer to a string, and checks for its end
 * at most in the section as stored in the file. An unterminated string would make sprof read past
 * the section. So libelf provides the section's end; it has the decompressed section.
 */
#include "elfsym/dwarf/die-string.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

/* How many bytes of the section follow `at`; 0: `at` is in another section. */
static size_t room_in(Elf_Scn *section, const char *at)
{
	GElf_Shdr header;
	const char *begin;
	Elf_Data *data;

	if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS)
		return 0;
	data = elf_getdata(section, NULL);
	begin = data ? data->d_buf : NULL;
	if (!begin || at < begin || at >= begin + data->d_size)
		return 0;
	return data->d_size - (size_t)(at - begin);
}

/* The file that the string is in. */
static Elf *file_of(const Dwarf_Attribute *attribute)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(attribute->cu);
	bool is_alt =
		attribute->form == DW_FORM_GNU_strp_alt || attribute->form == DW_FORM_strp_sup;

	return dwarf_getelf(is_alt ? dwarf_getalt(dwarf) : dwarf);
}

const char *sprof_die_string(Dwarf_Attribute *attribute)
{
	const char *text = dwarf_formstring(attribute);
	Elf *elf = text ? file_of(attribute) : NULL;
	Elf_Scn *section = NULL;
	size_t room = 0;

	while (elf && !room && (section = elf_nextscn(elf, section)))
		room = room_in(section, text);
	return room && memchr(text, '\0', room) ? text : NULL;
}
