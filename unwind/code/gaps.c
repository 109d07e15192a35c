/*
 * Finds rows for code that no known path reaches: exception handlers, and targets of unknown jump
 * tables. Tries the states at the function's calls or unknown jumps. Rows are kept if the code then
 * continues to reached code with the same sp, or returns with the sp of the entry. If no state can
 * be proved in this way, one without a contradiction is used for code that ends with a call that
 * does not return; but not after all reached code, where another function may begin.
 *
 * Code after a call and padding may be the next function or the head of a loop; it is tried, too.
 */
#include "unwind/code/flow-internal.h"

enum { MOST_TRIALS = 256 };

/* If the trial succeeded, keeps its findings about calls. */
static void settle_calls(struct sprof_code_flow *flow, bool is_good)
{
	for (size_t i = 0; i < flow->touched_count; i++) {
		struct place *place = &flow->places[flow->touched[i]];

		if (place->end == IS_END_BY_TRIAL)
			place->end = is_good ? IS_END : RETURNS;
	}
	flow->touched_count = 0;
}

/* Restores places and lists to before the trial. Calls that the trial ended stay ended until
 * settle_calls(). */
static void take_back(struct sprof_code_flow *flow)
{
	for (size_t i = 0; i < flow->touched_count; i++) {
		struct place *place = &flow->places[flow->touched[i]];

		if (place->owner > flow->first_tried)
			place->owner = 0;
		if (place->block > flow->first_tried)
			place->block = 0;
	}
	flow->block_count = flow->first_tried;
	flow->call_count = flow->calls_before;
	flow->doubt_count = flow->doubts_before;
	flow->again = false;
}

/* Whether code entered in this state continues without error; `is_strict`: and is also
 * confirmed. */
static bool try_state(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	uint32_t offset, bool is_strict)
{
	bool is_good = false;

	for (unsigned run = 0; run < MOST_RUNS; run++) {
		flow->first_tried = (uint32_t)flow->block_count;
		flow->calls_before = flow->call_count;
		flow->doubts_before = flow->doubt_count;
		flow->is_wrong = flow->is_confirmed = false;
		sprof_code_enter(flow, state, offset, NONE);
		sprof_code_work_off(flow);
		is_good = !flow->again && !flow->is_wrong && flow->steps && !flow->out_of_memory &&
			(flow->is_confirmed || !is_strict);
		if (is_good || !flow->again)
			break;
		take_back(flow);
	}
	if (!is_good && flow->block_count > flow->first_tried)
		take_back(flow);
	settle_calls(flow, is_good);
	flow->first_tried = NONE;
	return is_good;
}

/* The next code that no way reaches, from this offset on. The function's size: none. */
static uint32_t find_gap(struct sprof_code_flow *flow, uint32_t at)
{
	while (at < flow->code->size) {
		const struct sprof_instruction *instruction = sprof_code_decode(flow, at);

		if (!flow->places[at].owner && instruction &&
			instruction->effect != SPROF_EFFECT_PADDING &&
			instruction->effect != SPROF_EFFECT_STOP)
			return at;
		at += instruction ? instruction->length : 1;
	}
	return at;
}

/* Tries the most frequent state first. */
static bool try_states(
	struct sprof_code_flow *flow, struct common common, uint32_t offset, bool is_strict)
{
	for (;;) {
		unsigned best = 0;

		for (unsigned i = 1; i < MOST_COMMON; i++) {
			if (common.counts[i] > common.counts[best])
				best = i;
		}
		if (!common.counts[best])
			return false;
		if (try_state(flow, &common.states[best], offset, is_strict))
			return true;
		common.counts[best] = 0;
	}
}

static uint32_t skip_padding(struct sprof_code_flow *flow, uint32_t at)
{
	while (at < flow->code->size) {
		const struct sprof_instruction *instruction = sprof_code_decode(flow, at);

		if (!instruction || instruction->effect != SPROF_EFFECT_PADDING)
			return at;
		at += instruction->length;
	}
	return at;
}

/* Tries a state that was found, not guessed: if the trial shows that the code belongs to this
 * function, it is a normal way. */
static bool try_way(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	uint32_t offset, bool is_strict)
{
	uint32_t first = (uint32_t)flow->block_count;

	if (!try_state(flow, state, offset, is_strict))
		return false;
	sprof_code_follow_again(flow, first);
	return true;
}

/* Padding precedes the next function or a loop. Before a loop it runs, so it needs a row too. */
static void try_doubt(struct sprof_code_flow *flow, const struct sprof_code_state *entry,
	const struct doubt *doubt)
{
	uint32_t behind = skip_padding(flow, doubt->at);

	if (behind < flow->code->size && !flow->places[behind].owner &&
		!try_way(flow, &doubt->state, behind, true) &&
		!try_state(flow, entry, behind, true))
		try_way(flow, &doubt->state, behind, false);
	if (!flow->places[doubt->at].owner)
		try_way(flow, &doubt->state, doubt->at, true);
}

static void try_doubts(struct sprof_code_flow *flow)
{
	struct sprof_code_state entry;

	sprof_code_state_init(&entry);
	for (size_t i = 0; i < flow->doubt_count && i < MOST_TRIALS; i++) {
		struct doubt doubt = flow->doubts[i]; /* a copy: a trial may add doubts */

		try_doubt(flow, &entry, &doubt);
	}
}

/* Whether a function seems to start here: it saves a register that it must preserve. */
static bool is_prologue(struct sprof_code_flow *flow, uint32_t offset)
{
	const struct sprof_instruction *first = sprof_code_decode(flow, offset);

	return first && first->effect == SPROF_EFFECT_PUSH && first->from < SPROF_CODE_REGISTERS &&
		!(SPROF_CODE_SCRATCH >> first->from & 1);
}

/* The gap may also be a function that is only called through pointers. */
static void try_gap(struct sprof_code_flow *flow, const struct common *jumps,
	const struct common *calls, uint32_t offset)
{
	struct sprof_code_state entry;

	sprof_code_state_init(&entry);
	if (!try_states(flow, *jumps, offset, true) && !try_states(flow, *calls, offset, true) &&
		!try_state(flow, &entry, offset, true) &&
		!(is_prologue(flow, offset) && try_state(flow, &entry, offset, false)) &&
		(flow->code->is_whole || offset < flow->reached) &&
		!try_states(flow, *jumps, offset, false))
		try_states(flow, *calls, offset, false);
}

static void try_gaps(struct sprof_code_flow *flow)
{
	const struct common jumps = flow->at_jumps, calls = flow->at_calls;
	uint32_t at = 0;

	for (unsigned trials = 0; trials < MOST_TRIALS && !flow->out_of_memory; trials++) {
		at = find_gap(flow, at);
		if (at >= flow->code->size)
			return;
		try_gap(flow, &jumps, &calls, at);
		at += flow->places[at].instruction
			? flow->instructions[flow->places[at].instruction - 1].length
			: 1;
	}
}

void sprof_code_fill_gaps(struct sprof_code_flow *flow)
{
	flow->reached = flow->code->size;
	while (flow->reached && !flow->places[flow->reached - 1].owner)
		flow->reached--;
	try_doubts(flow);
	try_gaps(flow);
}
