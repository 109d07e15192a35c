/*
 * CPython's strings (PEP 393): the characters follow the header, with one, two or four bytes each.
 * Does not handle non-compact strings: names of code never are.
 */
#include <string.h>

#include "interp/python/python.h"

enum {
	MOST_HEADER = 128,
	KIND_SHIFT = 2,
	KIND_MASK = 7,
	COMPACT = 1 << 3, /* above the bits of the kind */
	ASCII = 1 << 4,
	LONGEST = 4 << 20,
	PIECE = 256, /* characters that are read at once */
	REPLACEMENT = 0xfffd,
};

struct text {
	uint64_t data, length;
	unsigned width; /* bytes of a character */
};

static uint32_t number_at(const uint8_t *bytes, uint32_t offset)
{
	uint32_t number;

	memcpy(&number, bytes + offset, sizeof(number));
	return number;
}

static bool read_header(const struct sprof_python_offsets *offsets,
	const struct sprof_interp_memory *memory, uint64_t address, struct text *ret)
{
	uint8_t header[MOST_HEADER];
	const uint32_t size = offsets->ascii_data;
	uint32_t state;

	if (size > sizeof(header) || offsets->text_state + sizeof(state) > size ||
		offsets->text_length + sizeof(ret->length) > size ||
		memory->read(memory->data, address, header, size) < size)
		return false;
	state = number_at(header, offsets->text_state) >>
		(offsets->text_kind ? offsets->text_kind : KIND_SHIFT);
	memcpy(&ret->length, header + offsets->text_length, sizeof(ret->length));
	ret->width = state & KIND_MASK;
	ret->data = address + (state & ASCII ? offsets->ascii_data : offsets->wide_data);
	return (state & COMPACT) && ret->length < LONGEST &&
		(ret->width == 1 || ret->width == 2 || ret->width == 4);
}

/* Returns how many bytes it takes. */
static size_t encode(uint32_t character, char *ret)
{
	if (character < 0x80) {
		ret[0] = (char)character;
		return 1;
	}
	if (character < 0x800) {
		ret[0] = (char)(0xc0 | character >> 6);
		ret[1] = (char)(0x80 | (character & 0x3f));
		return 2;
	}
	if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
		character = REPLACEMENT;
	if (character < 0x10000) {
		ret[0] = (char)(0xe0 | character >> 12);
		ret[1] = (char)(0x80 | (character >> 6 & 0x3f));
		ret[2] = (char)(0x80 | (character & 0x3f));
		return 3;
	}
	ret[0] = (char)(0xf0 | character >> 18);
	ret[1] = (char)(0x80 | (character >> 12 & 0x3f));
	ret[2] = (char)(0x80 | (character >> 6 & 0x3f));
	ret[3] = (char)(0x80 | (character & 0x3f));
	return 4;
}

bool sprof_python_text(const struct sprof_python_offsets *offsets,
	const struct sprof_interp_memory *memory, uint64_t address, char *buffer, size_t size)
{
	uint8_t bytes[PIECE * sizeof(uint32_t)];
	struct text text;
	size_t written = 0, wanted;

	if (!read_header(offsets, memory, address, &text))
		return false;
	wanted = text.length < size ? text.length : size;
	for (size_t i = 0; i < wanted; i++) {
		const size_t piece = wanted - i < PIECE ? wanted - i : PIECE;
		uint32_t character = 0;

		if (i % PIECE == 0 &&
			memory->read(memory->data, text.data + i * text.width, bytes,
				piece * text.width) < piece * text.width)
			return false;
		memcpy(&character, bytes + i % PIECE * text.width, text.width);
		if (!character || written + 5 > size)
			break;
		written += encode(character, buffer + written);
	}
	buffer[written] = '\0';
	return true;
}
