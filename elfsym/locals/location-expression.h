/*
 * Evaluates DWARF expressions: where a variable or a saved register is, from the registers of its
 * frame.
 */
#ifndef SPROF_ELFSYM_LOCALS_LOCATION_EXPRESSION_H
#define SPROF_ELFSYM_LOCALS_LOCATION_EXPRESSION_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/locals/frame-machine.h"

enum sprof_where {
	SPROF_WHERE_NOWHERE, /* not available */
	SPROF_WHERE_UNKNOWN, /* depends on an unknown value, or an unsupported operation */
	SPROF_WHERE_MEMORY,  /* at the address `number` */
	SPROF_WHERE_VALUE,   /* it is `number` */
	SPROF_WHERE_BYTES,   /* it is `bytes` */
};

struct sprof_place_of_value {
	enum sprof_where where;
	uint64_t number;
	const uint8_t *bytes;
	size_t size; /* of `bytes` */
};

struct sprof_location_expression {
	const Dwarf_Op *ops;
	size_t count;
	Dwarf_Attribute *attribute;  /* source of the operations; NULL: CFI */
	Dwarf_Attribute *frame_base; /* of the function; NULL: none */
	uint64_t pc;                 /* link-time */
};

struct sprof_place_of_value sprof_location_expression_evaluate(
	const struct sprof_location_expression *expression,
	const struct sprof_frame_machine *machine);

/* The place given by an attribute at a pc: an expression, or a list of them. */
struct sprof_place_of_value sprof_location_expression_of_attribute(Dwarf_Attribute *attribute,
	Dwarf_Attribute *frame_base, uint64_t pc, const struct sprof_frame_machine *machine);

#endif
