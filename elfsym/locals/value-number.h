/*
 * Numbers as text, by their DWARF base types: as C writes them.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdio.h>

#include "elfsym/locals/dwarf-frame.h"

/* The value of a base type, or ? */
void sprof_value_write_number(FILE *out, Dwarf_Die *type, const struct sprof_place_of_value *place,
	const struct sprof_frame_machine *machine);
