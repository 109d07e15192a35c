/*
 * The targets of a jump through a table: valid instructions of the function. Another table may
 * follow, and its entries would be taken for this table's. If the number of entries is known, some
 * may lead outside the function.
 */
#include "elfsym/code/frame-distance.h"
#include "unwind/code/flow-internal.h"
#include "unwind/code/table.h"

enum { LONGEST = 15 };

/* Finds where instructions start if all bytes of the function are code. */
static void read_whole(struct sprof_code_flow *flow)
{
	const struct sprof_code *code = flow->code;
	size_t length;

	for (uint32_t at = 0; at < code->size && !flow->has_read; at += (uint32_t)length) {
		size_t room = code->size - at;

		length = sprof_instruction_size_x86_64(
			code->bytes + at, room < LONGEST ? room : LONGEST);
		length += !length;
		flow->places[at].is_whole = true;
	}
	flow->has_read = true;
}

bool sprof_code_next_target(struct sprof_code_flow *flow, const struct sprof_code_table *table,
	uint32_t *index, uint32_t *ret)
{
	read_whole(flow);
	while (sprof_code_table_has(table, flow->code, *index)) {
		if (sprof_code_table_at(table, flow->code, (*index)++, ret) &&
			flow->places[*ret].is_whole)
			return true;
		if (!table->count)
			return false;
	}
	return false;
}
