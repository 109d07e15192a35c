/*
 * Assembles a value from its pieces, which may be bits. Notes for each byte that can't be shown
 * why.
 */
#include "elfsym/locals/pieces.h"

#include <string.h>

#include "elfsym/locals/value-place.h"

static void append_bit(struct sprof_pieces *pieces, unsigned bit, uint8_t gap)
{
	const size_t at = pieces->bits / 8;

	pieces->bytes[at] = (uint8_t)(pieces->bytes[at] | bit << pieces->bits % 8);
	pieces->gaps[at] |= gap;
	pieces->bits++;
}

static uint8_t gap_of(const struct sprof_place_of_value *byte)
{
	return sprof_value_is_nowhere(byte, 1) ? SPROF_GAP_NOWHERE : SPROF_GAP_UNKNOWN;
}

bool sprof_pieces_append(struct sprof_pieces *pieces, const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, uint64_t first, uint64_t bits)
{
	struct sprof_place_of_value part;
	uint8_t byte = 0, gap = 0;

	if (bits > 8 * SPROF_PIECES_SIZE - pieces->bits || first > 8 * SPROF_PIECES_SIZE)
		return false;
	for (uint64_t bit = first; bit < first + bits; bit++) {
		if (bit == first || bit % 8 == 0) {
			part = sprof_value_part(place, bit / 8);
			gap = sprof_value_read(machine, &part, &byte, 1) ? 0 : gap_of(&part);
		}
		append_bit(pieces, gap ? 0 : byte >> bit % 8 & 1, gap);
	}
	return true;
}

struct sprof_place_of_value sprof_pieces_place(const struct sprof_pieces *pieces)
{
	const struct sprof_place_of_value place = {
		.where = SPROF_WHERE_BYTES,
		.bytes = pieces->bytes,
		.gaps = pieces->gaps,
		.size = (pieces->bits + 7) / 8,
	};

	for (size_t i = 0; i < place.size; i++) {
		if (pieces->gaps[i] != SPROF_GAP_NOWHERE)
			return place;
	}
	return (struct sprof_place_of_value){.where = SPROF_WHERE_NOWHERE};
}
