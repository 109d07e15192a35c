/* The dimensions of arrays. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/locals/dwarf-frame.h"

enum { SPROF_MAX_DIMENSIONS = 8 };

struct sprof_array {
	Dwarf_Die item;
	uint64_t counts[SPROF_MAX_DIMENSIONS]; /* of items, the outermost dimension first */
	uint64_t sizes[SPROF_MAX_DIMENSIONS];  /* in bytes, of one item of that dimension */
	size_t dimensions;
};

/*
 * Finds the dimensions of an array type. They may depend on variables of the frame, as for int
 * a[n]. Returns false if they can't be determined, as for a flexible array member, or are too many.
 */
bool sprof_array_find(
	Dwarf_Die *type, const struct sprof_dwarf_frame *frame, struct sprof_array *ret);
