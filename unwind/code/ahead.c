/*
 * Rows for code with an unknown function start, mostly generated code. Follows every path from the
 * instruction to a return. The pops on the path show where the return address is.
 *
 * Does not handle code that never returns, nor calls that don't return: if the paths disagree,
 * there is no result.
 */
#include "unwind/code/flow-internal.h"

struct sprof_cfi_row sprof_code_flow_look_ahead(
	struct sprof_code_flow *flow, const struct sprof_code *code, uint32_t offset)
{
	struct sprof_code_ahead ahead = {0};
	struct sprof_code_state state;

	if (offset >= code->size || !sprof_code_flow_begin(flow, code))
		return (struct sprof_cfi_row){.end = 0};
	flow->ahead = &ahead;
	sprof_code_state_init_anywhere(&state);
	sprof_code_flow_restart(flow, &state, offset);
	flow->ahead = NULL;
	if (!ahead.has_any || ahead.disagrees || flow->out_of_memory)
		return (struct sprof_cfi_row){.end = 0};
	return ahead.row;
}
