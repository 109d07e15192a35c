/*
 * Decodes the code of an entry of the procedure linkage table.
 */
#ifndef SPROF_ELFSYM_PLT_DECODE_H
#define SPROF_ELFSYM_PLT_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/machine.h"

struct sprof_plt_jump {
	size_t size; /* of the entry */
	/* it pushes the index of its relocation; false: it jumps through a slot */
	bool is_index;
	uint64_t index;
	uint64_t slot; /* link-time address */
};

/*
 * Decodes the entry at the beginning of these bytes, which are at this link-time address; the entry
 * has at most `room` bytes. False: no entry.
 */
bool sprof_plt_decode(enum sprof_machine machine, const uint8_t *bytes, size_t room,
	uint64_t address, struct sprof_plt_jump *ret);

#endif
