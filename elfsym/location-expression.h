/*
 * DWARF expressions: where a variable or a saved register is, from the registers of its frame.
 */
#ifndef SPROF_ELFSYM_LOCATION_EXPRESSION_H
#define SPROF_ELFSYM_LOCATION_EXPRESSION_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/frame-machine.h"

enum sprof_where {
	SPROF_WHERE_NOWHERE, /* the compiler did not keep it */
	SPROF_WHERE_UNKNOWN, /* it needs what is not known, or an operation that is not handled */
	SPROF_WHERE_MEMORY,  /* at the address `number` */
	SPROF_WHERE_VALUE,   /* it is `number` */
	SPROF_WHERE_BYTES,   /* it is `bytes` */
};

struct sprof_place_of_value {
	enum sprof_where where;
	uint64_t number;
	const uint8_t *bytes;
	size_t size; /* of bytes */
};

struct sprof_location_expression {
	const Dwarf_Op *ops;
	size_t count;
	Dwarf_Attribute *attribute;  /* that the operations are of; NULL: of CFI */
	Dwarf_Attribute *frame_base; /* of the function; NULL: it has none */
	uint64_t pc;                 /* link-time */
};

struct sprof_place_of_value sprof_location_expression_evaluate(
	const struct sprof_location_expression *expression,
	const struct sprof_frame_machine *machine);

/* The place that an attribute gives at a pc: an expression, or a list of them. */
struct sprof_place_of_value sprof_location_expression_of_attribute(Dwarf_Attribute *attribute,
	Dwarf_Attribute *frame_base, uint64_t pc, const struct sprof_frame_machine *machine);

#endif
