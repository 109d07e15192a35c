/*
 * The dimensions of arrays (DWARF 5, section 5.5), and their bounds: numbers, variables or
 * expressions. Does not handle arrays that are described at run time (Fortran's), nor items with
 * gaps between them (Ada's).
 */
#include "elfsym/locals/value-array.h"

#include <dwarf.h>

#include "elfsym/dwarf/die-children.h"
#include "elfsym/locals/location-expression.h"
#include "elfsym/locals/value-place.h"
#include "elfsym/locals/value-type.h"

/* Limits arrays of arrays through typedefs, which form a cycle in a corrupt file. */
enum { MAX_NESTING = 8 };

/* The value of the variable that the compiler keeps the bound in. */
static bool read_variable(
	Dwarf_Attribute *attribute, const struct sprof_dwarf_frame *frame, uint64_t *ret)
{
	struct sprof_place_of_value place;
	Dwarf_Die variable, type;
	int size;

	if (!dwarf_formref_die(attribute, &variable) || !sprof_value_type(&variable, &type))
		return false;
	size = dwarf_bytesize(&type);
	place = sprof_location_expression_of_variable(&variable, frame, NULL);
	return size > 0 &&
		sprof_value_integer(frame->machine, &place, (size_t)size,
			sprof_value_encoding(&type) == DW_ATE_signed, ret);
}

/* The result of an expression is the bound itself. */
static bool evaluate(
	Dwarf_Attribute *attribute, const struct sprof_dwarf_frame *frame, uint64_t *ret)
{
	const struct sprof_location_expression expression = {.attribute = attribute};
	const struct sprof_place_of_value place =
		sprof_location_expression_of_attribute(&expression, frame);

	*ret = place.number;
	return place.where == SPROF_WHERE_MEMORY || place.where == SPROF_WHERE_VALUE;
}

static bool read_bound(
	Dwarf_Die *range, unsigned name, const struct sprof_dwarf_frame *frame, uint64_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword number;

	if (!dwarf_attr_integrate(range, name, &attribute))
		return false;
	switch (dwarf_whatform(&attribute)) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if (dwarf_formsdata(&attribute, &number) != 0)
			return false;
		*ret = (uint64_t)number;
		return true;
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return evaluate(&attribute, frame, ret);
	default:
		return dwarf_formudata(&attribute, ret) == 0 ||
			read_variable(&attribute, frame, ret);
	}
}

/* The first index in this language, if the array does not have it. */
static uint64_t first_index(Dwarf_Die *range)
{
	Dwarf_Sword first = 0;
	Dwarf_Die unit;

	if (dwarf_cu_die(range->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		dwarf_default_lower_bound(dwarf_srclang(&unit), &first);
	return (uint64_t)first;
}

static bool read_count(Dwarf_Die *range, const struct sprof_dwarf_frame *frame, uint64_t *ret)
{
	uint64_t low = first_index(range), high;

	if (dwarf_tag(range) != DW_TAG_subrange_type)
		return false;
	if (read_bound(range, DW_AT_count, frame, ret))
		return true;
	if (!read_bound(range, DW_AT_upper_bound, frame, &high))
		return false;
	if (dwarf_hasattr(range, DW_AT_lower_bound) &&
		!read_bound(range, DW_AT_lower_bound, frame, &low))
		return false;
	/* In an array without items, the last index is below the first one. */
	*ret = (int64_t)(high - low) < 0 ? 0 : high - low + 1;
	return true;
}

static bool is_plain(Dwarf_Die *type)
{
	static const unsigned unusual[] = {DW_AT_data_location, DW_AT_allocated, DW_AT_associated,
		DW_AT_byte_stride, DW_AT_bit_stride, DW_AT_rank};

	for (size_t i = 0; i < sizeof(unusual) / sizeof(unusual[0]); i++) {
		if (dwarf_hasattr(type, unusual[i]))
			return false;
	}
	return true;
}

static bool add_dimensions(
	struct sprof_array *array, Dwarf_Die *type, const struct sprof_dwarf_frame *frame)
{
	struct sprof_die_children children = {.parent = *type};

	while (sprof_die_children_next(&children)) {
		if (array->dimensions == SPROF_MAX_DIMENSIONS ||
			!read_count(&children.die, frame, &array->counts[array->dimensions++]))
			return false;
	}
	return array->dimensions;
}

/* An array whose items are arrays through a typedef is an array of more dimensions. */
static bool find_item(
	struct sprof_array *array, Dwarf_Die *type, const struct sprof_dwarf_frame *frame)
{
	array->item = *type;
	for (unsigned i = 0; dwarf_tag(&array->item) == DW_TAG_array_type; i++) {
		Dwarf_Die outer = array->item;

		if (i == MAX_NESTING || !is_plain(&outer) ||
			!add_dimensions(array, &outer, frame) ||
			!sprof_value_type(&outer, &array->item))
			return false;
	}
	return true;
}

/* clang does not record the size of a pointer. */
static int size_of(Dwarf_Die *type)
{
	const int tag = dwarf_tag(type), size = dwarf_bytesize(type);

	if (size > 0 ||
		(tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type &&
			tag != DW_TAG_rvalue_reference_type))
		return size;
	return sizeof(void *);
}

bool sprof_array_find(
	Dwarf_Die *type, const struct sprof_dwarf_frame *frame, struct sprof_array *ret)
{
	uint64_t size;
	int item_size;

	*ret = (struct sprof_array){0};
	if (!find_item(ret, type, frame))
		return false;
	item_size = size_of(&ret->item);
	if (item_size <= 0)
		return false;
	size = (uint64_t)item_size;
	for (size_t i = ret->dimensions; i-- > 0; size *= ret->counts[i])
		ret->sizes[i] = size;
	return true;
}
