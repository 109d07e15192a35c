/*
 * What the code of an entry of the procedure linkage table does, for each machine: all are compiled
 * everywhere, so that each can be tested anywhere.
 */
#ifndef SPROF_ELFSYM_PLT_DECODE_H
#define SPROF_ELFSYM_PLT_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sprof_plt_jump {
	size_t size;       /* of the entry */
	bool is_index;     /* it pushes the index of its relocation; false: it jumps through a slot */
	uint64_t index;
	uint64_t slot; /* link-time address */
};

/*
 * The entry at the beginning of these bytes, which are at this link-time address; at most `room`
 * bytes belong to it. False: there is none.
 */
bool sprof_plt_decode_x86_64(
	const uint8_t *bytes, size_t room, uint64_t address, struct sprof_plt_jump *ret);
bool sprof_plt_decode_aarch64(
	const uint8_t *bytes, size_t room, uint64_t address, struct sprof_plt_jump *ret);

#endif
