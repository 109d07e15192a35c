/*
 * Writes values: numbers, enumerators, pointers (with the text that a pointer to characters leads to), arrays and
 * structures, both only so far that a reader sees what they are. Does not handle arrays of arrays and members of types
 * whose size varies.
 * Everything read is hostile: types may be nested without end, and memory may hold anything.
 */
#include "elfsym/locals/value-text.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "elfsym/dwarf/die-children.h"
#include "elfsym/dwarf/die-string.h"
#include "elfsym/locals/value-number.h"
#include "elfsym/locals/value-place.h"

enum {
	MAX_NESTING = 3,
	MAX_ITEMS = 8,
	MAX_TEXT = 64,
};

struct writing {
	FILE *out;
	const struct sprof_frame_machine *machine;
	unsigned nesting;
};

static void write_value(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place);

static void write_character(struct writing *writing, unsigned char c)
{
	if (c == '"' || c == '\\')
		fprintf(writing->out, "\\%c", c);
	else if (c == '\n')
		fputs("\\n", writing->out);
	else if (isprint(c) || c >= 0x80)
		fputc(c, writing->out);
	else
		fprintf(writing->out, "\\x%02x", c);
}

/* Ends at a NUL, or after that many characters without one. */
static void write_text(
	struct writing *writing, const struct sprof_place_of_value *place, uint64_t length)
{
	uint64_t i;

	fputc('"', writing->out);
	for (i = 0; i < MAX_TEXT && i < length; i++) {
		const struct sprof_place_of_value at = sprof_value_part(place, i);
		unsigned char c;

		if (!sprof_value_read(writing->machine, &at, &c, 1) || !c)
			break;
		write_character(writing, c);
	}
	fputs(i == MAX_TEXT && i < length ? "\"..." : "\"", writing->out);
}

static bool is_character(Dwarf_Die *type)
{
	const Dwarf_Word encoding = sprof_value_encoding(type);

	return dwarf_tag(type) == DW_TAG_base_type && dwarf_bytesize(type) == 1 &&
		(encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
			encoding == DW_ATE_UTF);
}

static void write_pointer(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	struct sprof_place_of_value target = {.where = SPROF_WHERE_MEMORY};
	Dwarf_Die to;
	char first;

	if (!sprof_value_integer(writing->machine, place, sizeof(void *), false, &target.number)) {
		fputc('?', writing->out);
		return;
	}
	fprintf(writing->out, "0x%" PRIx64, target.number);
	if (!sprof_value_type(type, &to) || !is_character(&to) ||
		!sprof_value_read(writing->machine, &target, &first, 1))
		return;
	fputc(' ', writing->out);
	write_text(writing, &target, UINT64_MAX);
}

static bool constant_of(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword is_signed;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, DW_AT_const_value, &attribute))
		return false;
	if (!dwarf_formsdata(&attribute, &is_signed)) {
		*ret = (uint64_t)is_signed;
		return true;
	}
	if (dwarf_formudata(&attribute, &value))
		return false;
	*ret = value;
	return true;
}

/* Forms of constants don't always say how they are extended: only the enumeration's bytes count. */
static bool is_enumerator(Dwarf_Die *die, uint64_t value, size_t size)
{
	const uint64_t mask = size < sizeof(value) ? ((uint64_t)1 << 8 * size) - 1 : UINT64_MAX;
	uint64_t constant;

	return dwarf_tag(die) == DW_TAG_enumerator && constant_of(die, &constant) &&
		((constant ^ value) & mask) == 0;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return sprof_die_string(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}

static const char *find_enumerator(Dwarf_Die *type, uint64_t value, size_t size)
{
	Dwarf_Off last;
	Dwarf_Die die;

	for (bool found = sprof_die_child(type, &last, &die); found;
		found = sprof_die_sibling(&die, &last)) {
		if (is_enumerator(&die, value, size))
			return name_of(&die);
	}
	return NULL;
}

static void write_enumeration(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	const int size = dwarf_bytesize(type);
	const char *name;
	uint64_t value;

	if (size <= 0 ||
		!sprof_value_integer(writing->machine, place, (size_t)size, true, &value)) {
		fputc('?', writing->out);
		return;
	}
	name = find_enumerator(type, value, (size_t)size);
	if (name)
		fputs(name, writing->out);
	else
		fprintf(writing->out, "%" PRId64, (int64_t)value);
}

/*
 * The number of items in the array's first dimension. Returns false if unknown, as for a flexible
 * array.
 */
static bool array_count(Dwarf_Die *type, uint64_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Die range;

	if (dwarf_child(type, &range) != 0 || dwarf_tag(&range) != DW_TAG_subrange_type)
		return false;
	if (dwarf_formudata(dwarf_attr(&range, DW_AT_count, &attribute), &number) == 0) {
		*ret = number;
		return true;
	}
	if (dwarf_formudata(dwarf_attr(&range, DW_AT_upper_bound, &attribute), &number) != 0)
		return false;
	*ret = number + 1;
	return true;
}

/* An array of arrays has one item type for all its dimensions. */
static bool has_more_dimensions(Dwarf_Die *type)
{
	Dwarf_Die range;

	return dwarf_child(type, &range) == 0 && dwarf_siblingof(&range, &range) == 0;
}

static void write_items(struct writing *writing, Dwarf_Die *item, uint64_t count,
	const struct sprof_place_of_value *place)
{
	const int size = dwarf_bytesize(item);

	if (size <= 0) {
		fputs("{...}", writing->out);
		return;
	}
	fputc('{', writing->out);
	for (uint64_t i = 0; i < count && i < MAX_ITEMS; i++) {
		const struct sprof_place_of_value part =
			sprof_value_part(place, i * (uint64_t)size);

		fputs(i ? ", " : "", writing->out);
		write_value(writing, item, &part);
	}
	fputs(count > MAX_ITEMS ? ", ...}" : "}", writing->out);
}

static void write_array(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	Dwarf_Die item;
	uint64_t count;

	if (!sprof_value_type(type, &item) || !array_count(type, &count) ||
		has_more_dimensions(type))
		fputs("{...}", writing->out);
	else if (is_character(&item))
		write_text(writing, place, count);
	else
		write_items(writing, &item, count, place);
}

static bool offset_of(Dwarf_Die *member, uint64_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset = 0;

	/* Members of a union have no offset. */
	if (dwarf_attr(member, DW_AT_data_member_location, &attribute) &&
		dwarf_formudata(&attribute, &offset))
		return false;
	*ret = offset;
	return true;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;

	dwarf_formudata(dwarf_attr(die, name, &attribute), &number);
	return number;
}

/* The member's lowest bit, from the begin of its storage. */
static uint64_t first_bit(Dwarf_Die *member, Dwarf_Die *type, uint64_t bits)
{
	uint64_t size;

	if (!dwarf_hasattr(member, DW_AT_bit_offset))
		return number_of(member, DW_AT_data_bit_offset);
	/* DWARF 3, section 5.6.6: counted from the other end. */
	size = number_of(member, DW_AT_byte_size);
	if (!size)
		size = number_of(type, DW_AT_byte_size);
	return 8 * size - bits - number_of(member, DW_AT_bit_offset);
}

/* An enumeration has its encoding itself, or a type that has it. */
static bool is_signed(Dwarf_Die *type)
{
	Dwarf_Die plain = *type, below;
	Dwarf_Word encoding;

	if (!sprof_value_peel(&plain))
		return false;
	encoding = sprof_value_encoding(&plain);
	if (!encoding && dwarf_tag(&plain) == DW_TAG_enumeration_type &&
		sprof_value_type(&plain, &below))
		encoding = sprof_value_encoding(&below);
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

static void write_bits(struct writing *writing, Dwarf_Die *member, Dwarf_Die *type,
	const struct sprof_place_of_value *place)
{
	const uint64_t bits = number_of(member, DW_AT_bit_size);
	const uint64_t first = first_bit(member, type, bits);
	const struct sprof_place_of_value part = sprof_value_part(place, first / 8);
	const size_t size = (size_t)((first % 8 + bits + 7) / 8);
	struct sprof_place_of_value value = {.where = SPROF_WHERE_VALUE};

	if (!bits || bits > 64 ||
		!sprof_value_integer(writing->machine, &part, size, false, &value.number)) {
		fputc('?', writing->out);
		return;
	}
	value.number = value.number >> first % 8 << (64 - bits);
	if (is_signed(type))
		value.number = (uint64_t)((int64_t)value.number >> (64 - bits));
	else
		value.number >>= 64 - bits;
	write_value(writing, type, &value);
}

static void write_member(
	struct writing *writing, Dwarf_Die *member, const struct sprof_place_of_value *place)
{
	const char *name = name_of(member);
	struct sprof_place_of_value part;
	uint64_t offset;
	Dwarf_Die type;

	if (name)
		fprintf(writing->out, "%s = ", name);
	if (!sprof_value_type(member, &type) || !offset_of(member, &offset)) {
		fputc('?', writing->out);
		return;
	}
	part = sprof_value_part(place, offset);
	if (dwarf_hasattr(member, DW_AT_bit_size))
		write_bits(writing, member, &type, &part);
	else
		write_value(writing, &type, &part);
}

/* Static members belong to no value. */
static bool is_member(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);

	return tag == DW_TAG_inheritance ||
		(tag == DW_TAG_member && !dwarf_hasattr(die, DW_AT_external) &&
			!dwarf_hasattr(die, DW_AT_declaration));
}

static void write_structure(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	unsigned count = 0;
	Dwarf_Off last;
	Dwarf_Die die;

	fputc('{', writing->out);
	for (bool found = sprof_die_child(type, &last, &die); found && count <= MAX_ITEMS;
		found = sprof_die_sibling(&die, &last)) {
		if (!is_member(&die))
			continue;
		fputs(count ? ", " : "", writing->out);
		if (count++ == MAX_ITEMS)
			fputs("...", writing->out);
		else
			write_member(writing, &die, place);
	}
	fputc('}', writing->out);
}

static void write_nested(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	if (writing->nesting == MAX_NESTING) {
		fputs("{...}", writing->out);
		return;
	}
	writing->nesting++;
	if (dwarf_tag(type) == DW_TAG_array_type)
		write_array(writing, type, place);
	else
		write_structure(writing, type, place);
	writing->nesting--;
}

static void write_value(
	struct writing *writing, Dwarf_Die *type, const struct sprof_place_of_value *place)
{
	Dwarf_Die plain = *type;

	if (!sprof_value_peel(&plain)) {
		fputc('?', writing->out);
		return;
	}
	switch (dwarf_tag(&plain)) {
	case DW_TAG_base_type:
		sprof_value_write_number(writing->out, &plain, place, writing->machine);
		return;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		write_pointer(writing, &plain, place);
		return;
	case DW_TAG_enumeration_type:
		write_enumeration(writing, &plain, place);
		return;
	case DW_TAG_array_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		write_nested(writing, &plain, place);
		return;
	default:
		fputc('?', writing->out);
	}
}

void sprof_value_write(FILE *out, Dwarf_Die *type, const struct sprof_place_of_value *place,
	const struct sprof_frame_machine *machine)
{
	struct writing writing = {.out = out, .machine = machine};

	write_value(&writing, type, place);
}
