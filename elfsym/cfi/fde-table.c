/*
 * Looks an address up in .eh_frame_hdr (Linux Standard Base, "DWARF Exception Header Encoding").
 * Reads the one encoding that all linkers write. Does not read FDEs or find where code ends.
 */
#include "elfsym/cfi/fde-table.h"

#include <dwarf.h>
#include <string.h>

#include "base/search.h"

struct header {
	uint8_t version, eh_frame_encoding, count_encoding, table_encoding;
	int32_t eh_frame;
	uint32_t count;
};

/* Both are relative to the header. */
struct entry {
	int32_t code, fde;
};

struct table {
	const uint8_t *entries;
	uint32_t count;
};

static bool is_as_linkers_write(const struct header *header)
{
	return header->version == 1 &&
		header->eh_frame_encoding == (DW_EH_PE_pcrel | DW_EH_PE_sdata4) &&
		header->count_encoding == DW_EH_PE_udata4 &&
		header->table_encoding == (DW_EH_PE_datarel | DW_EH_PE_sdata4);
}

static bool find_table(const struct sprof_image *image, struct table *ret)
{
	const uint8_t *bytes = image->eh_frame_hdr_address
		? sprof_image_at(image, image->eh_frame_hdr_address, image->eh_frame_hdr_size)
		: NULL;
	struct header header;

	if (!bytes || image->eh_frame_hdr_size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	*ret = (struct table){bytes + sizeof(header), header.count};
	return is_as_linkers_write(&header) &&
		header.count <= (image->eh_frame_hdr_size - sizeof(header)) / sizeof(struct entry);
}

static uint64_t code_of(const struct sprof_image *image, const struct table *table, size_t index)
{
	struct entry entry;

	memcpy(&entry, table->entries + index * sizeof(entry), sizeof(entry));
	return image->eh_frame_hdr_address + (uint64_t)(int64_t)entry.code;
}

struct entry_search {
	const struct sprof_image *image;
	struct table table;
	uint64_t address;
};

static bool starts_by(const void *search, size_t index)
{
	const struct entry_search *wanted = search;

	return code_of(wanted->image, &wanted->table, index) <= wanted->address;
}

bool sprof_fde_table_find(
	const struct sprof_image *image, uint64_t address, struct sprof_fde_bounds *ret)
{
	struct entry_search search = {.image = image, .address = address};
	const struct table *table = &search.table;
	size_t behind;

	if (!find_table(image, &search.table))
		return false;
	behind = sprof_first_index(table->count, starts_by, &search);
	if (!behind)
		return false;
	ret->start = code_of(image, table, behind - 1);
	ret->next = behind < table->count ? code_of(image, table, behind) : UINT64_MAX;
	return true;
}
