/*
 * Follows every path from a function's entry, block by block, until the states at the places where
 * paths join no longer change. A call contradicted by the code after it does not return.
 *
 * Does not handle parts of a function that lie elsewhere: a jump out of the function ends the path.
 * Bytes are treated as code only if a path leads to them.
 */
#include <stdlib.h>

#include "base/array.h"
#include "unwind/code/flow-internal.h"
#include "unwind/code/table.h"

enum {
	MOST_BLOCKS = 1 << 15, /* of one function */
	CALLS_PER_STEP = 16,
	DECODE_LONGEST = 15,
};

/* A way through a block. */
struct way {
	struct sprof_code_state state;
	uint32_t at;
	uint32_t call; /* only padding lies after this call; NONE */
};

static bool decode(const struct sprof_code *code, uint32_t at, struct sprof_instruction *ret)
{
	size_t room = at < code->size ? code->size - at : 0;

	return sprof_instruction_decode(code->bytes + at,
		room < DECODE_LONGEST ? room : DECODE_LONGEST, code->address + at, ret);
}

/*
 * Code that touches each page of a large frame before sp moves keeps the frame's size: "mov $SIZE,
 * %eax; call __rust_probestack; sub %rax, %rsp".
 */
static void note_kept(const struct sprof_code *code, uint32_t at, struct sprof_instruction *call)
{
	struct sprof_instruction next;

	if (call->effect == SPROF_EFFECT_CALL && decode(code, at + call->length, &next) &&
		next.effect == SPROF_EFFECT_SUB_REGISTER && next.to == SPROF_CODE_SP)
		call->from = next.from;
}

const struct sprof_instruction *sprof_code_decode(struct sprof_code_flow *flow, uint32_t at)
{
	const struct sprof_code *code = flow->code;
	struct place *place = &flow->places[at];
	struct sprof_instruction one;

	if (place->instruction)
		return &flow->instructions[place->instruction - 1];
	if (!decode(code, at, &one))
		return NULL;
	note_kept(code, at, &one);
	if (!sprof_array_reserve(&flow->instructions, &flow->instruction_capacity,
		    flow->instruction_count + 1, sizeof(one))) {
		flow->out_of_memory = true;
		return NULL;
	}
	flow->instructions[flow->instruction_count++] = one;
	place->instruction = (uint32_t)flow->instruction_count;
	return &flow->instructions[flow->instruction_count - 1];
}

static void enqueue(struct sprof_code_flow *flow, uint32_t block)
{
	if (flow->blocks[block].is_queued)
		return;
	flow->blocks[block].is_queued = true;
	flow->out_of_memory |=
		!SPROF_ARRAY_APPEND(flow->queue, flow->queue_count, flow->queue_capacity, block);
}

static bool is_trial(const struct sprof_code_flow *flow)
{
	return flow->first_tried != NONE;
}

/* Records the place, so that a trial can be undone. */
static void touch(struct sprof_code_flow *flow, uint32_t offset)
{
	if (is_trial(flow))
		flow->out_of_memory |= !SPROF_ARRAY_APPEND(
			flow->touched, flow->touched_count, flow->touched_capacity, offset);
}

/* From now on, the block that has led there continues to the new block. */
static void add_block(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	uint32_t offset, uint32_t call)
{
	uint32_t owner = flow->places[offset].owner, block = (uint32_t)flow->block_count;

	if (flow->block_count >= MOST_BLOCKS ||
		!SPROF_ARRAY_APPEND(flow->blocks, flow->block_count, flow->block_capacity,
			(struct block){.in = *state, .offset = offset, .call = call})) {
		flow->out_of_memory = true;
		return;
	}
	flow->places[offset].block = block + 1;
	touch(flow, offset);
	if (owner)
		enqueue(flow, owner - 1);
	enqueue(flow, block);
}

/* Marks the call as not returning. If conclusions depended on it, start again. */
static void end_call(struct sprof_code_flow *flow, uint32_t call, bool again)
{
	touch(flow, call);
	flow->places[call].end = is_trial(flow) ? IS_END_BY_TRIAL : IS_END;
	flow->again |= again && flow->may_again;
}

/* Whether a way from the entry, not from this trial, reached it. */
static bool was_reached(const struct sprof_code_flow *flow, uint32_t offset)
{
	uint32_t owner = flow->places[offset].owner;

	return owner && owner - 1 < flow->first_tried;
}

static void spend(struct sprof_code_flow *flow, size_t steps)
{
	flow->steps -= steps < flow->steps ? steps : flow->steps;
}

/* The state at a reached instruction. */
static struct sprof_code_state state_at(struct sprof_code_flow *flow, uint32_t offset)
{
	const struct block *block = &flow->blocks[flow->places[offset].owner - 1];
	struct sprof_code_state state = block->in;

	for (uint32_t at = block->offset; at < offset && flow->places[at].instruction;) {
		const struct sprof_instruction *one =
			&flow->instructions[flow->places[at].instruction - 1];

		sprof_code_state_apply(&state, one, at);
		at += one->length;
		spend(flow, 1);
	}
	return state;
}

/* A trial reached code that was reached without it; the trial must not change this code. */
static void check_trial(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	uint32_t offset, uint32_t call)
{
	struct sprof_code_state known = state_at(flow, offset);

	if (!sprof_code_state_conflicts(&known, state))
		flow->is_confirmed |= call == NONE && sprof_code_state_knows_sp(&known) &&
			sprof_code_state_knows_sp(state);
	else if (call != NONE)
		end_call(flow, call, false);
	else
		flow->is_wrong = true;
}

void sprof_code_enter(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	uint32_t offset, uint32_t call)
{
	uint32_t index = flow->places[offset].block;
	struct block *block;

	if (is_trial(flow) && was_reached(flow, offset)) {
		check_trial(flow, state, offset, call);
		return;
	}
	if (!index) {
		add_block(flow, state, offset, call);
		return;
	}
	block = &flow->blocks[index - 1];
	if (sprof_code_state_conflicts(&block->in, state) &&
		(call != NONE || block->call != NONE)) {
		end_call(flow, call != NONE ? call : block->call, call == NONE);
		return;
	}
	if (call == NONE)
		block->call = NONE;
	if (sprof_code_state_meet(&block->in, state))
		enqueue(flow, index - 1);
}

/* A jump out of the function is a tail call, or leads to a part that lies elsewhere. */
static void jump(
	struct sprof_code_flow *flow, const struct sprof_code_state *state, uint64_t target)
{
	const struct sprof_code *code = flow->code;

	if (target >= code->address && target - code->address < code->size)
		sprof_code_enter(flow, state, (uint32_t)(target - code->address), NONE);
	else if (code->starts && sprof_code_starts_is_function(code->starts, target))
		*(sprof_code_state_may_return(state) ? &flow->is_confirmed : &flow->is_wrong) =
			true;
}

static void note(struct common *common, const struct sprof_code_state *state)
{
	for (unsigned i = 0; i < MOST_COMMON; i++) {
		if (!common->counts[i])
			common->states[i] = *state;
		else if (sprof_code_state_conflicts(&common->states[i], state))
			continue;
		else
			sprof_code_state_meet(&common->states[i], state);
		common->counts[i]++;
		return;
	}
}

/* Follows all targets of a table. Returns false if none is in the function. */
static bool enter_targets(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	const struct sprof_code_table *table)
{
	uint32_t index = 0, offset;
	bool found = false;

	while (sprof_code_next_target(flow, table, &index, &offset)) {
		sprof_code_enter(flow, state, offset, NONE);
		found = true;
	}
	return found;
}

/* A jump through a pointer with sp as at the entry is a tail call, unless other jumps have unknown
 * targets. */
static void jump_by_table(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	const struct sprof_instruction *instruction)
{
	struct sprof_code_table table;

	if (sprof_code_table_find(state, instruction, &table) && enter_targets(flow, state, &table))
		return;
	if (sprof_code_state_may_return(state))
		flow->is_confirmed |= !flow->at_jumps.counts[0];
	else
		note(&flow->at_jumps, state);
}

static void branch(
	struct sprof_code_flow *flow, struct way *way, const struct sprof_instruction *instruction)
{
	struct sprof_code_state taken = way->state;

	sprof_code_state_branch(&taken, instruction, true);
	jump(flow, &taken, (uint64_t)instruction->value);
	sprof_code_state_branch(&way->state, instruction, false);
}

/*
 * A return with a wrong sp means that the path ran past a noreturn call into another function,
 * which returns with sp as at its own entry. Returns that call; NONE: there is none.
 */
static uint32_t find_last_act(struct sprof_code_flow *flow, uint32_t before, int64_t sp)
{
	uint32_t found = NONE;

	spend(flow, flow->call_count / CALLS_PER_STEP);
	for (size_t i = 0; i < flow->call_count; i++) {
		const struct call *call = &flow->calls[i];

		if (call->sp == sp && call->at < before && (found == NONE || call->at > found) &&
			flow->places[call->at].end == RETURNS)
			found = call->at;
	}
	return found;
}

/* For code of an unknown function: keeps what all ways agree on. */
static void note_return(struct sprof_code_ahead *ahead, const struct sprof_code_state *state)
{
	struct sprof_cfi_row row = sprof_code_state_row_before_return(state);

	if (!ahead->has_any)
		ahead->row = row;
	ahead->has_any = true;
	ahead->disagrees |= row.cfa != ahead->row.cfa || row.cfa_offset != ahead->row.cfa_offset;
	if (row.fp != ahead->row.fp || row.fp_offset != ahead->row.fp_offset)
		ahead->row.fp = SPROF_REG_UNDEFINED;
}

static void check_return(struct sprof_code_flow *flow, const struct way *way)
{
	uint32_t call = NONE;

	if (flow->ahead) {
		note_return(flow->ahead, &way->state);
		return;
	}
	flow->has_caller |= !is_trial(flow) && sprof_code_state_is_root(&way->state);
	if (sprof_code_state_may_return(&way->state)) {
		flow->is_confirmed = true;
		return;
	}
	if (sprof_code_state_knows_sp(&way->state))
		call = find_last_act(flow, way->at, way->state.registers[SPROF_CODE_SP].number);
	if (call != NONE)
		end_call(flow, call, true);
	else
		flow->is_wrong = true;
}

static bool may_return(const struct sprof_code_flow *flow, const struct sprof_instruction *call)
{
	return !flow->code->returns || !call->value ||
		sprof_code_may_return(flow->code->returns, (uint64_t)call->value);
}

static void note_call(struct sprof_code_flow *flow, struct way *way)
{
	note(&flow->at_calls, &way->state);
	if (!sprof_code_state_knows_sp(&way->state))
		return;
	flow->out_of_memory |= !SPROF_ARRAY_APPEND(flow->calls, flow->call_count,
		flow->call_capacity,
		(struct call){.at = way->at, .sp = way->state.registers[SPROF_CODE_SP].number});
}

/* Rust puts a trap after each call that doesn't return, so no way can go astray there. */
static bool is_before_stop(struct sprof_code_flow *flow, uint32_t at)
{
	const struct sprof_instruction *next =
		at < flow->code->size ? sprof_code_decode(flow, at) : NULL;

	return next && next->effect == SPROF_EFFECT_STOP;
}

/* Returns false if the path ends with this instruction. */
static bool pass(
	struct sprof_code_flow *flow, struct way *way, const struct sprof_instruction *instruction)
{
	switch ((enum sprof_effect)instruction->effect) {
	case SPROF_EFFECT_RETURN:
		check_return(flow, way);
		return false;
	case SPROF_EFFECT_STOP:
		return false;
	case SPROF_EFFECT_JUMP:
		jump(flow, &way->state, (uint64_t)instruction->value);
		return false;
	case SPROF_EFFECT_JUMP_REGISTER:
	case SPROF_EFFECT_JUMP_MEMORY:
		jump_by_table(flow, &way->state, instruction);
		return false;
	case SPROF_EFFECT_BRANCH:
		branch(flow, way, instruction);
		break;
	case SPROF_EFFECT_CALL:
		if (is_before_stop(flow, way->at + instruction->length))
			break;
		if (!flow->places[way->at].end && !may_return(flow, instruction))
			flow->places[way->at].end = IS_END;
		if (flow->places[way->at].end)
			return false;
		note_call(flow, way);
		break;
	case SPROF_EFFECT_NONE:
	case SPROF_EFFECT_PADDING:
	case SPROF_EFFECT_ADD:
	case SPROF_EFFECT_ADD_REGISTER:
	case SPROF_EFFECT_SUB_REGISTER:
	case SPROF_EFFECT_SET:
	case SPROF_EFFECT_ALIGN:
	case SPROF_EFFECT_LOAD:
	case SPROF_EFFECT_STORE:
	case SPROF_EFFECT_PUSH:
	case SPROF_EFFECT_POP:
	case SPROF_EFFECT_ENTER:
	case SPROF_EFFECT_LEAVE:
	case SPROF_EFFECT_COMPARE:
		break;
	}
	sprof_code_state_apply(&way->state, instruction, way->at);
	return true;
}

/* Returns false if the path ends here, or continues in another block. */
static bool may_enter(struct sprof_code_flow *flow, const struct way *way, uint32_t start)
{
	if (way->at == start)
		return true;
	if (flow->places[way->at].block || (is_trial(flow) && was_reached(flow, way->at))) {
		sprof_code_enter(flow, &way->state, way->at, way->call);
		return false;
	}
	return true;
}

static void follow(struct sprof_code_flow *flow, uint32_t index)
{
	const uint32_t start = flow->blocks[index].offset;
	struct way way = {.state = flow->blocks[index].in, .at = start, .call = NONE};

	while (way.at < flow->code->size && flow->steps && !flow->again) {
		const struct sprof_instruction *decoded;
		struct sprof_instruction instruction;
		uint32_t at = way.at;

		if (!may_enter(flow, &way, start))
			return;
		decoded = sprof_code_decode(flow, at);
		if (!decoded) {
			flow->is_wrong = true;
			return;
		}
		instruction = *decoded;
		if (way.call != NONE && instruction.effect == SPROF_EFFECT_PADDING &&
			!flow->ahead) {
			flow->out_of_memory |= !SPROF_ARRAY_APPEND(flow->doubts, flow->doubt_count,
				flow->doubt_capacity,
				(struct doubt){.state = way.state, .at = way.at});
			return;
		}
		if (flow->places[at].owner != index + 1)
			touch(flow, at);
		flow->places[at].owner = index + 1;
		spend(flow, 1);
		flow->has_caller |= !is_trial(flow) && sprof_code_state_is_root(&way.state) &&
			(instruction.changed >> SPROF_CODE_FP & 1);
		if (!pass(flow, &way, &instruction))
			return;
		way.call = instruction.effect == SPROF_EFFECT_CALL ? at : NONE;
		way.at += instruction.length;
	}
}

void sprof_code_work_off(struct sprof_code_flow *flow)
{
	while (flow->queue_count && !flow->again && !flow->out_of_memory) {
		uint32_t block = flow->queue[--flow->queue_count];

		flow->blocks[block].is_queued = false;
		follow(flow, block);
	}
	flow->queue_count = 0;
}

void sprof_code_follow_again(struct sprof_code_flow *flow, uint32_t first)
{
	for (uint32_t block = first; block < flow->block_count; block++)
		enqueue(flow, block);
	sprof_code_work_off(flow);
	flow->again = false;
}

bool sprof_code_flow_state(
	struct sprof_code_flow *flow, uint32_t offset, struct sprof_code_state *ret)
{
	if (offset >= flow->code->size || !flow->places[offset].owner)
		return false;
	*ret = state_at(flow, offset);
	return sprof_code_state_knows_sp(ret);
}
