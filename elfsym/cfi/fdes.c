/*
 * The ranges of FDEs. libdw walks the entries but does not reveal the encoding of their addresses,
 * so this file parses it (Linux Standard Base, "DWARF Exception Header Encoding"). Handles the
 * encodings that compilers use in .eh_frame, and skips entries with others.
 */
#include "elfsym/cfi/fdes.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

enum {
	ENCODING_FORMAT = 0x0f,
	ENCODING_BASE = 0x70,
	ENCODING_NONE = 0x100, /* of a CIE with an unknown encoding */
	HEADER_POINTER = 4,    /* the offset of the pointer to .eh_frame in .eh_frame_hdr */
};

/* .eh_frame as it is in memory, and the last CIE. */
struct reader {
	const struct sprof_image *image;
	const unsigned char *ident;
	Elf_Data data;
	uint64_t address;
	Dwarf_Off cie;
	unsigned encoding;
};

/* Reads a value in this format, sign-extended if signed. Returns its size, or 0. */
static size_t read_value(const uint8_t *at, const uint8_t *end, unsigned format, uint64_t *ret)
{
	size_t size = format == DW_EH_PE_udata2 || format == DW_EH_PE_sdata2 ? 2
		: format == DW_EH_PE_udata4 || format == DW_EH_PE_sdata4     ? 4
		: format == DW_EH_PE_absptr || format == DW_EH_PE_udata8 ||
			format == DW_EH_PE_sdata8
		? 8
		: 0;
	uint64_t value = 0;

	if (!size || (size_t)(end - at) < size)
		return 0;
	memcpy(&value, at, size);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	value >>= 64 - 8 * size;
#endif
	if ((format & DW_EH_PE_signed) && size < 8 && value >> (8 * size - 1))
		value |= UINT64_MAX << (8 * size);
	*ret = value;
	return size;
}

/* Reads a pointer that stands at the link-time address `place`. */
static size_t read_pointer(
	const uint8_t *at, const uint8_t *end, unsigned encoding, uint64_t place, uint64_t *ret)
{
	size_t size = read_value(at, end, encoding & ENCODING_FORMAT, ret);

	if ((encoding & ENCODING_BASE) == DW_EH_PE_pcrel)
		*ret += place;
	else if (encoding & ~(unsigned)ENCODING_FORMAT)
		return 0;
	return size;
}

/* Finds .eh_frame: a section, or what .eh_frame_hdr points to, up to the segment's end. */
static bool find_eh_frame(struct reader *reader)
{
	const struct sprof_image *image = reader->image;
	const uint8_t *header =
		sprof_image_at(image, image->eh_frame_hdr_address, image->eh_frame_hdr_size);
	struct sprof_section section;

	if (sprof_image_section(image, ".eh_frame", &section)) {
		reader->address = section.address;
		reader->data.d_buf = (void *)section.bytes;
		reader->data.d_size = section.size;
		return true;
	}
	if (!header || image->eh_frame_hdr_size <= HEADER_POINTER ||
		!read_pointer(header + HEADER_POINTER, header + image->eh_frame_hdr_size, header[1],
			image->eh_frame_hdr_address + HEADER_POINTER, &reader->address))
		return false;
	reader->data.d_size = sprof_image_room(image, reader->address);
	reader->data.d_buf = (void *)sprof_image_at(image, reader->address, reader->data.d_size);
	return reader->data.d_buf && reader->data.d_size;
}

/* The encoding of a CIE's FDEs. The data has the same order as the letters after "z". */
static unsigned encoding_of(const Dwarf_CIE *cie)
{
	const uint8_t *data = cie->augmentation_data;
	const uint8_t *end = data + cie->augmentation_data_size;
	uint64_t ignored;
	size_t size;

	if (cie->augmentation[0] == '\0')
		return DW_EH_PE_absptr;
	if (cie->augmentation[0] != 'z' || !data)
		return ENCODING_NONE;
	for (const char *letter = cie->augmentation + 1; *letter; letter++) {
		if (*letter == 'S' || *letter == 'B' || *letter == 'G')
			continue;
		if (data == end)
			return ENCODING_NONE;
		if (*letter == 'R')
			return *data;
		if (*letter == 'P') {
			size = read_value(data + 1, end, *data & ENCODING_FORMAT, &ignored);
			if (!size)
				return ENCODING_NONE;
			data += size;
		} else if (*letter != 'L') {
			return ENCODING_NONE;
		}
		data++;
	}
	return DW_EH_PE_absptr;
}

static unsigned encoding_at(struct reader *reader, Dwarf_Off cie)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (cie == reader->cie)
		return reader->encoding;
	reader->cie = cie;
	reader->encoding = ENCODING_NONE;
	if (dwarf_next_cfi(reader->ident, &reader->data, true, cie, &next, &entry) == 0 &&
		dwarf_cfi_cie_p(&entry))
		reader->encoding = encoding_of(&entry.cie);
	return reader->encoding;
}

static bool read_fde(struct reader *reader, const Dwarf_FDE *fde, struct sprof_fde *ret)
{
	unsigned encoding = encoding_at(reader, fde->CIE_pointer);
	uint64_t place =
		reader->address + (uint64_t)(fde->start - (const uint8_t *)reader->data.d_buf);
	size_t size;

	if (encoding == ENCODING_NONE)
		return false;
	size = read_pointer(fde->start, fde->end, encoding, place, &ret->address);
	/* The range has the same format and is never relative. */
	return size &&
		read_value(fde->start + size, fde->end, encoding & ENCODING_FORMAT, &ret->size) &&
		ret->size && sprof_image_executable(reader->image, ret->address);
}

static int compare(const void *left, const void *right)
{
	const struct sprof_fde *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

bool sprof_fdes_load(
	struct sprof_fdes *fdes, const struct sprof_image *image, struct sprof_error *err)
{
	struct reader reader = {
		.image = image,
		.ident = image->bytes,
		.data = {.d_type = ELF_T_BYTE, .d_version = EV_CURRENT},
		.cie = UINT64_MAX,
	};
	Dwarf_Off offset = 0, next;
	Dwarf_CFI_Entry entry;
	struct sprof_fde fde;
	int state;

	*fdes = (struct sprof_fdes){0};
	if (!find_eh_frame(&reader))
		return true;
	while ((state = dwarf_next_cfi(reader.ident, &reader.data, true, offset, &next, &entry)) <=
		0) {
		if (state == 0 && !dwarf_cfi_cie_p(&entry) && read_fde(&reader, &entry.fde, &fde) &&
			!SPROF_ARRAY_APPEND(fdes->items, fdes->count, fdes->capacity, fde))
			return sprof_error_no_memory(err);
		if (next <= offset || next == (Dwarf_Off)-1)
			break;
		offset = next;
	}
	if (fdes->count)
		qsort(fdes->items, fdes->count, sizeof(*fdes->items), compare);
	return true;
}

void sprof_fdes_finish(struct sprof_fdes *fdes)
{
	free(fdes->items);
	*fdes = (struct sprof_fdes){0};
}

/* The index of the first range that begins after the address. */
static size_t search(const struct sprof_fdes *fdes, uint64_t address)
{
	return sprof_upper_bound(
		fdes->items, fdes->count, SPROF_KEY(fdes->items, address, address));
}

bool sprof_fdes_bounds(
	const struct sprof_fdes *fdes, uint64_t address, struct sprof_fde_bounds *ret)
{
	size_t next = search(fdes, address);

	if (!next)
		return false;
	ret->start = fdes->items[next - 1].address;
	ret->next = next < fdes->count ? fdes->items[next].address : UINT64_MAX;
	return true;
}

const struct sprof_fde *sprof_fdes_find(const struct sprof_fdes *fdes, uint64_t address)
{
	size_t low = search(fdes, address);

	if (!low || address - fdes->items[low - 1].address >= fdes->items[low - 1].size)
		return NULL;
	return &fdes->items[low - 1];
}
