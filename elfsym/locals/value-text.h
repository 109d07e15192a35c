/* Formats values of variables by their DWARF types, in C syntax. */
#ifndef SPROF_ELFSYM_LOCALS_VALUE_TEXT_H
#define SPROF_ELFSYM_LOCALS_VALUE_TEXT_H

#include <elfutils/libdw.h>
#include <stdio.h>

#include "elfsym/locals/dwarf-frame.h"

/* Writes the value at a known place. Long arrays, texts and structures are truncated. */
void sprof_value_write(FILE *out, Dwarf_Die *type, const struct sprof_place_of_value *place,
	const struct sprof_dwarf_frame *frame);

#endif
