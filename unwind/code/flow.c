/*
 * The rows of a function. Follows all paths from its entry (ways.c), again for each call found
 * not to return. Then tries the code that no path has reached (gaps.c).
 */
#include "unwind/code/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "unwind/code/flow-internal.h"

enum { STEPS_PER_BYTE = 128 };

struct sprof_code_flow *sprof_code_flow_create(void)
{
	return calloc(1, sizeof(struct sprof_code_flow));
}

void sprof_code_flow_destroy(struct sprof_code_flow *flow)
{
	if (!flow)
		return;
	free(flow->places);
	free(flow->instructions);
	free(flow->blocks);
	free(flow->queue);
	free(flow->calls);
	free(flow->doubts);
	free(flow->touched);
	free(flow);
}

bool sprof_code_flow_begin(struct sprof_code_flow *flow, const struct sprof_code *code)
{
	flow->out_of_memory = false;
	if (!sprof_instruction_has_decoder() || !code->size || code->size > SPROF_CODE_LONGEST)
		return false;
	if (!sprof_array_reserve(
		    &flow->places, &flow->place_capacity, code->size, sizeof(*flow->places))) {
		flow->out_of_memory = true;
		return false;
	}
	memset(flow->places, 0, code->size * sizeof(*flow->places));
	flow->code = code;
	flow->instruction_count = flow->block_count = 0;
	flow->has_caller = flow->has_read = false;
	flow->steps = (size_t)code->size * STEPS_PER_BYTE;
	flow->ahead = NULL;
	return true;
}

static void forget_ways(struct sprof_code_flow *flow)
{
	for (uint32_t i = 0; flow->block_count && i < flow->code->size; i++)
		flow->places[i].block = flow->places[i].owner = 0;
	flow->block_count = flow->queue_count = flow->call_count = flow->doubt_count = 0;
}

void sprof_code_flow_restart(
	struct sprof_code_flow *flow, const struct sprof_code_state *state, uint32_t offset)
{
	forget_ways(flow);
	flow->again = flow->is_wrong = false;
	flow->first_tried = NONE;
	flow->at_calls = flow->at_jumps = (struct common){0};
	if (state)
		sprof_code_enter(flow, state, offset, NONE);
	sprof_code_work_off(flow);
}

static void fill_gaps(struct sprof_code_flow *flow)
{
	flow->may_again = true;
	flow->steps = (size_t)flow->code->size * STEPS_PER_BYTE;
	sprof_code_fill_gaps(flow);
}

bool sprof_code_flow_run(
	struct sprof_code_flow *flow, const struct sprof_code *code, struct sprof_code_rows *ret)
{
	struct sprof_code_state entry;
	unsigned runs = 0;

	ret->count = 0;
	if (!sprof_code_flow_begin(flow, code))
		return !flow->out_of_memory;
	sprof_code_state_init(&entry);
	if (code->entry)
		entry = *code->entry;
	do {
		flow->may_again = ++runs < MOST_RUNS;
		sprof_code_flow_restart(flow, code->is_loose ? NULL : &entry, 0);
	} while (flow->again && !flow->out_of_memory);
	/* Stopped early: rows found from only some of the ways may be wrong. */
	if (!flow->steps || flow->out_of_memory)
		forget_ways(flow);
	else
		fill_gaps(flow);
	if (flow->out_of_memory)
		forget_ways(flow);
	return sprof_code_list(flow, ret) && !flow->out_of_memory;
}
