/*
 * Code whose function begins nobody knows where: generated code, mostly. From the instruction on every way is followed
 * to the return that it ends with. What is popped until then tells where the return address lies.
 *
 * Does not handle code that never returns, and knows nothing of what a call that doesn't return is followed by: ways
 * that disagree say nothing.
 */
#include "unwind/code-flow-internal.h"

struct sprof_code_ahead {
	struct sprof_cfi_row row;
	bool has_any, disagrees;
};

void sprof_code_ahead_return(struct sprof_code_ahead *ahead, const struct sprof_code_state *state)
{
	struct sprof_cfi_row row = sprof_code_state_row_before_return(state);

	if (!ahead->has_any)
		ahead->row = row;
	ahead->has_any = true;
	ahead->disagrees |= row.cfa != ahead->row.cfa || row.cfa_offset != ahead->row.cfa_offset;
	if (row.fp != ahead->row.fp || row.fp_offset != ahead->row.fp_offset)
		ahead->row.fp = SPROF_REG_UNDEFINED;
}

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
