/* Formats values of variables by their DWARF types, in C syntax. */
#pragma once

#include <elfutils/libdw.h>
#include <stdio.h>

#include "elfsym/locals/dwarf-frame.h"

/* Writes the value at a known place. Long arrays, texts and structures are truncated. */
void sprof_value_write(FILE *out, Dwarf_Die *type, const struct sprof_place_of_value *place,
	const struct sprof_dwarf_frame *frame);
