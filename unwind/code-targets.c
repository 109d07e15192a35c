/*
 * Where a jump through a table leads: to whole instructions of the function. What lies behind a table may be another one,
 * whose entries, read as this one's, lead anywhere. Where the number of entries is known some may lead out of the function.
 */
#include "elfsym/frame-distance.h"
#include "unwind/code-flow-internal.h"
#include "unwind/code-table.h"

enum { LONGEST = 15 };

/* Where instructions begin when all bytes of the function are read as such. */
static void read_whole(struct sprof_code_flow *flow)
{
	const struct sprof_code *code = flow->code;
	size_t length;

	for (uint32_t at = 0; at < code->size && !flow->has_read; at += (uint32_t)length) {
		size_t room = code->size - at;

		length = sprof_instruction_size_x86_64(code->bytes + at, room < LONGEST ? room : LONGEST);
		length += !length;
		flow->places[at].is_whole = true;
	}
	flow->has_read = true;
}

bool sprof_code_enter_targets(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	const struct sprof_code_table *table)
{
	bool found = false;
	uint32_t offset;

	read_whole(flow);
	for (uint32_t i = 0; sprof_code_table_has(table, flow->code, i); i++) {
		bool is_inside = sprof_code_table_at(table, flow->code, i, &offset) &&
			flow->places[offset].is_whole;

		if (!is_inside && !table->count)
			break;
		if (is_inside)
			sprof_code_enter(flow, state, offset, NONE);
		found |= is_inside;
	}
	return found;
}
