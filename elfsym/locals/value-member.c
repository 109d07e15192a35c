/*
 * Finds members (DWARF 5, section 5.7.6), including virtual base classes and those with DWARF 2's
 * expressions, and reads bit-fields.
 */
#include "elfsym/locals/value-member.h"

#include <dwarf.h>

#include "elfsym/locals/location-expression.h"
#include "elfsym/locals/value-place.h"
#include "elfsym/locals/value-type.h"

bool sprof_member_is(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);

	return tag == DW_TAG_inheritance ||
		(tag == DW_TAG_member && !dwarf_hasattr(die, DW_AT_external) &&
			!sprof_value_is_declared(die));
}

/* An expression that starts with the structure's address. */
static struct sprof_place_of_value evaluate(Dwarf_Attribute *attribute,
	const struct sprof_place_of_value *structure, const struct sprof_dwarf_frame *frame)
{
	const struct sprof_location_expression expression = {
		.attribute = attribute, .object = &structure->number};
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_getlocation(attribute, &ops, &count) == 0 && count == 1 &&
		ops[0].atom == DW_OP_plus_uconst)
		return sprof_value_part(structure, ops[0].number);
	if (structure->where != SPROF_WHERE_MEMORY)
		return (struct sprof_place_of_value){.where = SPROF_WHERE_UNKNOWN};
	return sprof_location_expression_of_attribute(&expression, frame);
}

/* Members of a union have no offset. */
static struct sprof_place_of_value place_of(Dwarf_Die *member,
	const struct sprof_place_of_value *structure, const struct sprof_dwarf_frame *frame)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset = 0;

	if (!dwarf_attr(member, DW_AT_data_member_location, &attribute) ||
		dwarf_formudata(&attribute, &offset) == 0)
		return sprof_value_part(structure, offset);
	return evaluate(&attribute, structure, frame);
}

/* The member's lowest bit, from the start of its storage. */
static uint64_t first_bit(Dwarf_Die *member, Dwarf_Die *type, uint64_t bits)
{
	uint64_t size;

	if (!dwarf_hasattr(member, DW_AT_bit_offset))
		return sprof_value_attribute(member, DW_AT_data_bit_offset);
	/* DWARF 3, section 5.6.6: counted from the other end. */
	size = sprof_value_attribute(member, DW_AT_byte_size);
	if (!size)
		size = sprof_value_attribute(type, DW_AT_byte_size);
	return 8 * size - bits - sprof_value_attribute(member, DW_AT_bit_offset);
}

/* An enumeration has an encoding, or a type with one. */
static bool is_signed(Dwarf_Die *type)
{
	Dwarf_Word encoding = sprof_value_encoding(type);
	Dwarf_Die below;

	if (!encoding && dwarf_tag(type) == DW_TAG_enumeration_type &&
		sprof_value_type(type, &below))
		encoding = sprof_value_encoding(&below);
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

static struct sprof_place_of_value read_bits(Dwarf_Die *member, Dwarf_Die *type,
	const struct sprof_place_of_value *storage, const struct sprof_frame_machine *machine)
{
	const uint64_t bits = sprof_value_attribute(member, DW_AT_bit_size);
	struct sprof_place_of_value value =
		sprof_value_bits(machine, storage, first_bit(member, type, bits), bits);

	if (value.where == SPROF_WHERE_VALUE && is_signed(type))
		value.number = (uint64_t)((int64_t)(value.number << (64 - bits)) >> (64 - bits));
	return value;
}

struct sprof_place_of_value sprof_member_place(Dwarf_Die *member, Dwarf_Die *type,
	const struct sprof_place_of_value *structure, const struct sprof_dwarf_frame *frame)
{
	const struct sprof_place_of_value place = place_of(member, structure, frame);

	if (dwarf_hasattr(member, DW_AT_bit_size))
		return read_bits(member, type, &place, frame->machine);
	return place;
}
