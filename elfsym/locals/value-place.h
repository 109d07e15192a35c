/* Parts and bytes of variables' values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/locals/dwarf-frame.h"

struct sprof_place_of_value sprof_value_part(
	const struct sprof_place_of_value *place, uint64_t offset);
/* Whether some of these first bytes are nowhere. */
bool sprof_value_is_nowhere(const struct sprof_place_of_value *place, size_t size);
/* Returns false if some bytes are unknown. */
bool sprof_value_read(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, void *buffer, size_t size);
/* Up to 64 bits, from bit `first` on, as an unsigned number: a value, unknown or nowhere. */
struct sprof_place_of_value sprof_value_bits(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, uint64_t first, uint64_t bits);
/* The first bytes as an integer of 1 to 8 bytes, sign-extended if is_signed. */
bool sprof_value_integer(const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, size_t size, bool is_signed, uint64_t *ret);
