/*
 * The dynamic section (System V ABI, "Dynamic Section"). If it is writable, glibc replaces
 * link-time addresses by run-time ones (elf/get-dynamic-info.h), so an image read from memory may
 * have either. Every table is limited to the file's real size.
 */
#include "elfsym/elf/dynamic.h"

#include <gelf.h>
#include <libelf.h>

/* The entries that are used. */
struct values {
	uint64_t symbols, strings, strings_size, hash, gnu_hash;
	uint64_t plt_relocations, plt_relocations_size, relocations, relocations_size;
};

static void take_value(struct values *values, const ElfW(Dyn) *entry)
{
	const struct {
		int64_t tag;
		uint64_t *value;
	} wanted[] = {
		{DT_SYMTAB, &values->symbols},
		{DT_STRTAB, &values->strings},
		{DT_STRSZ, &values->strings_size},
		{DT_HASH, &values->hash},
		{DT_GNU_HASH, &values->gnu_hash},
		{DT_JMPREL, &values->plt_relocations},
		{DT_PLTRELSZ, &values->plt_relocations_size},
		{DT_RELA, &values->relocations},
		{DT_RELASZ, &values->relocations_size},
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (entry->d_tag == wanted[i].tag)
			*wanted[i].value = entry->d_un.d_val;
	}
}

static bool read_values(const struct sprof_image *image, struct values *values)
{
	GElf_Phdr header;
	const ElfW(Dyn) *entry;
	size_t room;

	for (int i = 0; gelf_getphdr(image->elf, i, &header); i++) {
		if (header.p_type != PT_DYNAMIC)
			continue;
		room = sprof_image_room(image, header.p_vaddr);
		entry = (const void *)sprof_image_at(image, header.p_vaddr, room);
		if (!entry || (uintptr_t)entry % sizeof(uint64_t))
			return false;
		for (; room >= sizeof(*entry) && entry->d_tag != DT_NULL; entry++) {
			take_value(values, entry);
			room -= sizeof(*entry);
		}
		return true;
	}
	return false;
}

/* The bytes from an address in the dynamic section to the end of their segment; NULL: none. */
static const void *bytes_at(const struct sprof_image *image, uint64_t address, size_t *ret_room)
{
	uint64_t start;

	*ret_room = sprof_image_room(image, address);
	if (!*ret_room && image->from_memory && sprof_image_address(image, 0, &start)) {
		address = address - image->memory_base + start;
		*ret_room = sprof_image_room(image, address);
	}
	return *ret_room ? sprof_image_at(image, address, *ret_room) : NULL;
}

/* The same bytes as 32-bit words. */
static const uint32_t *words_at(
	const struct sprof_image *image, uint64_t address, size_t *ret_count)
{
	const void *bytes = address ? bytes_at(image, address, ret_count) : NULL;

	if (!bytes || (uintptr_t)bytes % sizeof(uint32_t))
		return NULL;
	*ret_count /= sizeof(uint32_t);
	return bytes;
}

/* A table of at most `size` bytes and its count of items. */
static const void *table_at(const struct sprof_image *image, uint64_t address, uint64_t size,
	size_t item_size, size_t *ret_count)
{
	size_t room = 0;
	const void *bytes = address ? bytes_at(image, address, &room) : NULL;

	if ((uintptr_t)bytes % sizeof(uint64_t))
		bytes = NULL;
	*ret_count = bytes ? (room < size ? room : size) / item_size : 0;
	return bytes;
}

/* One more than the last symbol in the chains of the GNU hash table. */
static size_t count_by_gnu_hash(const uint32_t *table, size_t words)
{
	size_t bloom, chains, last = 0;

	if (words < 4)
		return 0;
	bloom = (size_t)table[2] * (sizeof(uint64_t) / sizeof(uint32_t));
	if (bloom > words - 4 || table[0] > words - 4 - bloom)
		return 0;
	chains = 4 + bloom + table[0];
	for (size_t i = 0; i < table[0]; i++) {
		if (table[4 + bloom + i] > last)
			last = table[4 + bloom + i];
	}
	if (last < table[1])
		return table[1];
	while (last - table[1] < words - chains && !(table[chains + last - table[1]] & 1))
		last++;
	return last + 1;
}

/* The dynamic section doesn't say how many symbols there are; the hash tables do. */
static size_t count_symbols(const struct sprof_image *image, const struct values *values)
{
	size_t count;
	const uint32_t *table = words_at(image, values->hash, &count);

	if (table && count >= 2)
		return table[1];
	table = words_at(image, values->gnu_hash, &count);
	return table ? count_by_gnu_hash(table, count) : 0;
}

static void read_strings(
	const struct sprof_image *image, const struct values *values, struct sprof_dynamic *dynamic)
{
	size_t room = 0;

	dynamic->strings = bytes_at(image, values->strings, &room);
	if (room > values->strings_size)
		room = values->strings_size;
	while (dynamic->strings && room && dynamic->strings[room - 1])
		room--;
	dynamic->strings_size = room;
}

bool sprof_dynamic_read(const struct sprof_image *image, struct sprof_dynamic *ret)
{
	struct values values = {0};
	size_t count;

	*ret = (struct sprof_dynamic){0};
	if (!read_values(image, &values))
		return false;
	read_strings(image, &values, ret);
	count = count_symbols(image, &values);
	ret->symbols = table_at(image, values.symbols, count * sizeof(*ret->symbols),
		sizeof(*ret->symbols), &ret->symbol_count);
	ret->plt_relocations = table_at(image, values.plt_relocations, values.plt_relocations_size,
		sizeof(*ret->plt_relocations), &ret->plt_relocation_count);
	ret->relocations = table_at(image, values.relocations, values.relocations_size,
		sizeof(*ret->relocations), &ret->relocation_count);
	return true;
}

const char *sprof_dynamic_name(const struct sprof_dynamic *dynamic, size_t symbol)
{
	const char *name;

	if (!dynamic->symbols || symbol >= dynamic->symbol_count ||
		dynamic->symbols[symbol].st_name >= dynamic->strings_size)
		return NULL;
	name = dynamic->strings + dynamic->symbols[symbol].st_name;
	return name[0] ? name : NULL;
}
