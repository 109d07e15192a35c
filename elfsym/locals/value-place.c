/* The bytes of a value. Does not interpret them. */
#include "elfsym/locals/value-place.h"

#include <string.h>

struct sprof_place_of_value sprof_value_part(
	const struct sprof_place_of_value *place, uint64_t offset)
{
	struct sprof_place_of_value part = *place;

	switch (place->where) {
	case SPROF_WHERE_MEMORY:
		part.number += offset;
		return part;
	case SPROF_WHERE_VALUE:
		part.number = offset < part.size ? part.number >> 8 * offset : 0;
		part.size -= offset < part.size ? offset : part.size;
		return part;
	case SPROF_WHERE_BYTES:
		offset = offset < part.size ? offset : part.size;
		part.bytes += offset;
		part.gaps = part.gaps ? part.gaps + offset : NULL;
		part.size -= offset;
		return part;
	case SPROF_WHERE_NOWHERE:
	case SPROF_WHERE_UNKNOWN:
		break;
	}
	return part;
}

/* The bits of a byte that belong to a range of bits of the value. */
static uint8_t bits_of_byte(size_t byte, uint64_t first, uint64_t bits)
{
	uint8_t mask = 0;

	for (uint64_t bit = 8 * byte; bit < 8 * (byte + 1); bit++)
		mask |= bit >= first && bit < first + bits ? (uint8_t)(1u << bit % 8) : 0;
	return mask;
}

/* What the bits lack, of all bytes. */
static struct sprof_gap gap_of(
	const struct sprof_place_of_value *place, uint64_t first, uint64_t bits)
{
	struct sprof_gap gap = {0};

	for (size_t i = first / 8; place->gaps && 8 * i < first + bits && i < place->size; i++) {
		const uint8_t mask = bits_of_byte(i, first, bits);

		gap.nowhere |= place->gaps[i].nowhere & mask;
		gap.unknown |= place->gaps[i].unknown & mask;
	}
	return gap;
}

static bool are_bits_nowhere(
	const struct sprof_place_of_value *place, uint64_t first, uint64_t bits)
{
	return place->where == SPROF_WHERE_NOWHERE ||
		(place->where == SPROF_WHERE_BYTES && gap_of(place, first, bits).nowhere);
}

bool sprof_value_is_nowhere(const struct sprof_place_of_value *place, size_t size)
{
	return are_bits_nowhere(place, 0, 8 * (uint64_t)size);
}

/* The bytes around the bits. Returns false if some of the bits are unknown. */
static bool read_around(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, uint64_t first, uint64_t bits, void *buffer)
{
	const size_t size = (size_t)((first + bits + 7) / 8);
	struct sprof_gap gap;

	switch (place->where) {
	case SPROF_WHERE_MEMORY:
		return machine->read(machine->memory, place->number, buffer, size) == size;
	case SPROF_WHERE_VALUE:
		if (size > place->size || place->size > sizeof(place->number))
			return false;
		memcpy(buffer, &place->number, size);
		return true;
	case SPROF_WHERE_BYTES:
		gap = gap_of(place, first, bits);
		if (size > place->size || gap.nowhere || gap.unknown)
			return false;
		memcpy(buffer, place->bytes, size);
		return true;
	case SPROF_WHERE_NOWHERE:
	case SPROF_WHERE_UNKNOWN:
		break;
	}
	return false;
}

bool sprof_value_read(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, void *buffer, size_t size)
{
	return read_around(machine, place, 0, 8 * (uint64_t)size, buffer);
}

struct sprof_place_of_value sprof_value_bits(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, uint64_t first, uint64_t bits)
{
	const struct sprof_place_of_value part = sprof_value_part(place, first / 8);
	struct sprof_place_of_value value = {
		.where = SPROF_WHERE_UNKNOWN, .size = sizeof(value.number)};
	/* Unaligned bits may be in one byte more than the number has. */
	__uint128_t number = 0;

	if (!bits || bits > 64)
		return value;
	if (are_bits_nowhere(&part, first % 8, bits))
		value.where = SPROF_WHERE_NOWHERE;
	else if (read_around(machine, &part, first % 8, bits, &number))
		value.where = SPROF_WHERE_VALUE;
	value.number = (uint64_t)(number >> first % 8) & UINT64_MAX >> (64 - bits);
	return value;
}

/* Little-endian, as both machines are. */
bool sprof_value_integer(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, size_t size, bool is_signed, uint64_t *ret)
{
	const unsigned unused = size && size < sizeof(*ret) ? 64 - 8 * (unsigned)size : 0;

	*ret = 0;
	if (!size || size > sizeof(*ret) || !sprof_value_read(machine, place, ret, size))
		return false;
	if (is_signed && unused)
		*ret = (uint64_t)((int64_t)(*ret << unused) >> unused);
	return true;
}
