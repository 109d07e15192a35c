/*
 * Evaluates DWARF expressions: where a variable or a saved register is, from the registers of its
 * frame.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/locals/dwarf-frame.h"
#include "elfsym/locals/pieces.h"

struct sprof_location_expression {
	const Dwarf_Op *ops;
	size_t count;
	Dwarf_Attribute *attribute;  /* source of the operations; NULL: CFI */
	const uint64_t *object;      /* the address that a member's expression starts with; NULL */
	struct sprof_pieces *pieces; /* storage of a result in pieces; NULL: it is unknown */
};

struct sprof_place_of_value sprof_location_expression_evaluate(
	const struct sprof_location_expression *expression, const struct sprof_dwarf_frame *frame);

/*
 * The place given by an attribute at the frame's address: an expression, or a list of them. Only
 * attribute, object and pieces of *expression are set.
 */
struct sprof_place_of_value sprof_location_expression_of_attribute(
	const struct sprof_location_expression *expression, const struct sprof_dwarf_frame *frame);

/* The place or the constant value of a variable. */
struct sprof_place_of_value sprof_location_expression_of_variable(
	Dwarf_Die *variable, const struct sprof_dwarf_frame *frame, struct sprof_pieces *pieces);
