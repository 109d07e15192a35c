/*
 * Parts, bytes and types of values.
 */
#ifndef SPROF_ELFSYM_VALUE_PLACE_H
#define SPROF_ELFSYM_VALUE_PLACE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/frame-machine.h"
#include "elfsym/location-expression.h"

/* What is `offset` bytes behind the value's begin. */
struct sprof_place_of_value sprof_value_part(
	const struct sprof_place_of_value *place, uint64_t offset);
/* False: not all of the bytes are known. */
bool sprof_value_read(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, void *buffer, size_t size);
/* The same as a number of 1 to 8 bytes; with a sign it is extended. */
bool sprof_value_integer(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, size_t size, bool is_signed, uint64_t *ret);

/* The type of a DIE, without names and qualifiers. False: none, as of void. */
bool sprof_value_type(Dwarf_Die *die, Dwarf_Die *ret);
/* Takes names and qualifiers off a type. False: nothing is left. */
bool sprof_value_peel(Dwarf_Die *type);

#endif
