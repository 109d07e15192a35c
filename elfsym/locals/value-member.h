/* Where members are in a structure. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "elfsym/locals/dwarf-frame.h"

/* Base classes and members; static members belong to no value. */
bool sprof_member_is(Dwarf_Die *die);

/* The place of a member of this type, in the structure at a place. */
struct sprof_place_of_value sprof_member_place(Dwarf_Die *member, Dwarf_Die *type,
	const struct sprof_place_of_value *structure, const struct sprof_dwarf_frame *frame);
