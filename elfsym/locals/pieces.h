/* Values whose parts are in different places (DWARF 5, section 2.6.1.2). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/locals/dwarf-frame.h"

enum { SPROF_PIECES_SIZE = 256 }; /* bytes; compilers keep larger values in one place */

/* Zeroed is empty and valid. */
struct sprof_pieces {
	uint8_t bytes[SPROF_PIECES_SIZE];
	struct sprof_gap gaps[SPROF_PIECES_SIZE];
	size_t bits;
	bool is_somewhere; /* at least one bit */
};

/*
 * Appends bits of the value at a place, from bit `first` on. Returns false if there are too many.
 */
bool sprof_pieces_append(struct sprof_pieces *pieces, const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, uint64_t first, uint64_t bits);

/* All pieces as one place, which refers to them. */
struct sprof_place_of_value sprof_pieces_place(const struct sprof_pieces *pieces);
