/*
 * Assembles a value from its pieces, which may be bits. Notes for each bit that can't be shown why.
 */
#include "elfsym/locals/pieces.h"

#include <string.h>

#include "elfsym/locals/value-place.h"

static struct sprof_gap gap_of(const struct sprof_place_of_value *byte)
{
	const uint8_t all = 0xff;

	return sprof_value_is_nowhere(byte, 1) ? (struct sprof_gap){.nowhere = all}
					       : (struct sprof_gap){.unknown = all};
}

/* The bit of a byte, and of what that byte lacks. */
static void append_bit(
	struct sprof_pieces *pieces, uint8_t byte, const struct sprof_gap *gap, uint8_t bit)
{
	const size_t at = pieces->bits / 8;
	const uint8_t to = (uint8_t)(1u << pieces->bits % 8);

	pieces->bytes[at] |= byte & bit ? to : 0;
	pieces->gaps[at].nowhere |= gap->nowhere & bit ? to : 0;
	pieces->gaps[at].unknown |= gap->unknown & bit ? to : 0;
	pieces->is_somewhere |= !(gap->nowhere & bit);
	pieces->bits++;
}

bool sprof_pieces_append(struct sprof_pieces *pieces, const struct sprof_frame_machine *machine,
	const struct sprof_place_of_value *place, uint64_t first, uint64_t bits)
{
	struct sprof_place_of_value part;
	struct sprof_gap gap = {0};
	uint8_t byte = 0;

	if (bits > 8 * SPROF_PIECES_SIZE - pieces->bits || first > 8 * SPROF_PIECES_SIZE)
		return false;
	for (uint64_t bit = first; bit < first + bits; bit++) {
		if (bit == first || bit % 8 == 0) {
			part = sprof_value_part(place, bit / 8);
			byte = 0;
			gap = sprof_value_read(machine, &part, &byte, 1) ? (struct sprof_gap){0}
									 : gap_of(&part);
		}
		append_bit(pieces, byte, &gap, (uint8_t)(1u << bit % 8));
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

	return pieces->is_somewhere ? place
				    : (struct sprof_place_of_value){.where = SPROF_WHERE_NOWHERE};
}
