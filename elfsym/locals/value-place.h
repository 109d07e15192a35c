/* Parts, bytes and types of variables' values. */
#ifndef SPROF_ELFSYM_LOCALS_VALUE_PLACE_H
#define SPROF_ELFSYM_LOCALS_VALUE_PLACE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/locals/frame-machine.h"
#include "elfsym/locals/location-expression.h"

struct sprof_place_of_value sprof_value_part(
	const struct sprof_place_of_value *place, uint64_t offset);
/* Returns false if some bytes are unknown. */
bool sprof_value_read(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, void *buffer, size_t size);
/* The same as an integer of 1 to 8 bytes, sign-extended if is_signed. */
bool sprof_value_integer(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, size_t size, bool is_signed, uint64_t *ret);

/*
 * The type of a DIE, without typedefs and qualifiers. Returns false if there is none, as for void.
 */
bool sprof_value_type(Dwarf_Die *die, Dwarf_Die *ret);
/* Removes typedefs and qualifiers from a type. Returns false if nothing is left. */
bool sprof_value_peel(Dwarf_Die *type);

#endif
