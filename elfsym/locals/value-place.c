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

static bool has_gap(const struct sprof_place_of_value *place, size_t size, uint8_t kinds)
{
	for (size_t i = 0; place->gaps && i < size && i < place->size; i++) {
		if (place->gaps[i] & kinds)
			return true;
	}
	return false;
}

bool sprof_value_is_nowhere(const struct sprof_place_of_value *place, size_t size)
{
	return place->where == SPROF_WHERE_NOWHERE ||
		(place->where == SPROF_WHERE_BYTES && has_gap(place, size, SPROF_GAP_NOWHERE));
}

bool sprof_value_read(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, void *buffer, size_t size)
{
	switch (place->where) {
	case SPROF_WHERE_MEMORY:
		return machine->read(machine->memory, place->number, buffer, size) == size;
	case SPROF_WHERE_VALUE:
		if (size > place->size || place->size > sizeof(place->number))
			return false;
		memcpy(buffer, &place->number, size);
		return true;
	case SPROF_WHERE_BYTES:
		if (size > place->size ||
			has_gap(place, size, SPROF_GAP_NOWHERE | SPROF_GAP_UNKNOWN))
			return false;
		memcpy(buffer, place->bytes, size);
		return true;
	case SPROF_WHERE_NOWHERE:
	case SPROF_WHERE_UNKNOWN:
		break;
	}
	return false;
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
