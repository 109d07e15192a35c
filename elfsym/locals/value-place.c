/* The bytes of a value, and its type without typedefs and qualifiers. Does not interpret them. */
#include "elfsym/locals/value-place.h"

#include <dwarf.h>
#include <string.h>

enum { MAX_NAMES = 100 }; /* of one type, one for the other */

struct sprof_place_of_value sprof_value_part(
	const struct sprof_place_of_value *place, uint64_t offset)
{
	struct sprof_place_of_value part = *place;

	switch (place->where) {
	case SPROF_WHERE_MEMORY:
		part.number += offset;
		return part;
	case SPROF_WHERE_VALUE:
		part.number = offset < sizeof(part.number) ? part.number >> 8 * offset : 0;
		return part;
	case SPROF_WHERE_BYTES:
		part.bytes += offset < part.size ? offset : part.size;
		part.size -= offset < part.size ? offset : part.size;
		return part;
	case SPROF_WHERE_NOWHERE:
	case SPROF_WHERE_UNKNOWN:
		break;
	}
	return part;
}

bool sprof_value_read(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, void *buffer, size_t size)
{
	switch (place->where) {
	case SPROF_WHERE_MEMORY:
		return machine->read(machine->memory, place->number, buffer, size) == size;
	case SPROF_WHERE_VALUE:
		if (size <= sizeof(place->number))
			memcpy(buffer, &place->number, size);
		return size <= sizeof(place->number);
	case SPROF_WHERE_BYTES:
		if (size <= place->size)
			memcpy(buffer, place->bytes, size);
		return size <= place->size;
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

static bool next_type(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), ret);
}

static bool is_only_a_name(Dwarf_Die *type)
{
	const int tag = dwarf_tag(type);

	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
		tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* dwarf_peel_type() does the same, but typedefs in a corrupt file may form a cycle. */
bool sprof_value_peel(Dwarf_Die *type)
{
	for (unsigned i = 0; i < MAX_NAMES; i++) {
		if (!is_only_a_name(type))
			return true;
		if (!next_type(type, type))
			return false;
	}
	return false;
}

bool sprof_value_type(Dwarf_Die *die, Dwarf_Die *ret)
{
	return next_type(die, ret) && sprof_value_peel(ret);
}
