/*
 * Types without typedefs and qualifiers, and attributes of types. Everything read is hostile:
 * references may form cycles.
 */
#include "elfsym/locals/value-type.h"

#include <dwarf.h>

#include "elfsym/dwarf/die-string.h"

enum { MAX_NAMES = 100 }; /* of one type, one for the other */

static bool next_type(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), ret);
}

bool sprof_value_is_declared(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	bool value = false;

	return dwarf_formflag(dwarf_attr(type, DW_AT_declaration, &attribute), &value) == 0 &&
		value;
}

/* The definition may be in a type unit. gcc does not mark what remains as a declaration. */
static void find_definition(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die definition;

	if (dwarf_formref_die(dwarf_attr(type, DW_AT_signature, &attribute), &definition))
		*type = definition;
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
		if (!is_only_a_name(type)) {
			find_definition(type);
			return true;
		}
		if (!next_type(type, type))
			return false;
	}
	return false;
}

bool sprof_value_type(Dwarf_Die *die, Dwarf_Die *ret)
{
	return next_type(die, ret) && sprof_value_peel(ret);
}

Dwarf_Word sprof_value_encoding(Dwarf_Die *type)
{
	return sprof_value_attribute(type, DW_AT_encoding);
}

uint64_t sprof_value_attribute(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;

	dwarf_formudata(dwarf_attr(die, name, &attribute), &number);
	return number;
}

const char *sprof_value_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return sprof_die_string(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}
