/* Decodes entries of the procedure linkage table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/elf/machine.h"

struct sprof_plt_jump {
	size_t size; /* of the entry */
	/* it pushes its relocation's index; false: it jumps through a slot */
	bool is_index;
	uint64_t index;
	uint64_t slot; /* link-time address of the slot */
};

/*
 * Decodes the entry at the start of these bytes, which are at this link-time address; it has at
 * most `room` bytes. Returns false if it is not an entry.
 */
bool sprof_plt_decode(enum sprof_machine machine, const uint8_t *bytes, size_t room,
	uint64_t address, struct sprof_plt_jump *ret);
