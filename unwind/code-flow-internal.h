/*
 * Following a function's code: what code-flow.c, code-ways.c, code-targets.c, code-gaps.c, code-ahead.c and code-list.c
 * share. Nobody else includes it.
 */
#ifndef SPROF_UNWIND_CODE_FLOW_INTERNAL_H
#define SPROF_UNWIND_CODE_FLOW_INTERNAL_H

#include "unwind/code-flow.h"
#include "unwind/code-state.h"
#include "unwind/code-table.h"
#include "unwind/instruction.h"

enum {
	NONE = UINT32_MAX,
	MOST_RUNS = 16,   /* from one beginning, each with one more call that doesn't return */
	MOST_COMMON = 4,  /* states that code that nothing leads to is tried with */
};

/* What is known of one byte of the function. */
struct place {
	uint32_t instruction; /* that begins here, + 1 */
	uint32_t block;       /* the same */
	uint32_t owner;       /* block that has led here, + 1 */
	enum { RETURNS, IS_END, IS_END_BY_TRIAL } end; /* of a call */
	bool is_whole; /* code-targets.c: a jump may lead here */
};

/* Code that is entered at its beginning. */
struct block {
	struct sprof_code_state in;
	uint32_t offset;
	uint32_t call;    /* it is only reached from behind this call; NONE: by a jump too */
	bool is_queued;
};

/* Where a call stands, and where sp is then. */
struct call {
	uint32_t at;
	int64_t sp;
};

/* Code behind a call and padding: it may as well be the next function. */
struct doubt {
	struct sprof_code_state state;
	uint32_t at;
};

/* What is the same at several places, for each distance of sp that some of them have. */
struct common {
	struct sprof_code_state states[MOST_COMMON];
	unsigned counts[MOST_COMMON]; /* of places; 0: none yet */
};

struct sprof_code_flow {
	struct place *places; /* by offset in the function */
	struct sprof_instruction *instructions;
	struct block *blocks;
	uint32_t *queue;
	struct call *calls;
	struct doubt *doubts;
	size_t place_capacity, instruction_capacity, block_capacity, queue_capacity;
	size_t call_capacity, doubt_capacity;
	size_t instruction_count, block_count, queue_count, call_count, doubt_count;
	const struct sprof_code *code;
	size_t steps; /* that are left */
	uint32_t reached; /* the end of what was led to */
	struct common at_calls, at_jumps; /* at_jumps: those that lead to an unknown place */
	bool may_again, again, out_of_memory;
	bool has_read; /* places' is_whole is known */
	bool has_caller; /* it returns, or counts with the frame pointer: that it was 0 means nothing */
	/* Of a trial: */
	uint32_t first_tried; /* block; those before have been reached. NONE: no trial */
	size_t calls_before, doubts_before;
	uint32_t *touched; /* offsets of places */
	size_t touched_count, touched_capacity;
	bool is_wrong, is_confirmed;
	struct sprof_code_ahead *ahead; /* code-ahead.c: what its ways have returned with; NULL: from an entry */
};

/* Begins with no way and nothing decoded. False: no memory, no decoder, or no code. */
bool sprof_code_flow_begin(struct sprof_code_flow *flow, const struct sprof_code *code);

/*
 * Follows all ways from one offset; none where the state is NULL. Nothing is known before but instructions, and which
 * calls don't return. Where `again` is set then, one more call has turned out not to.
 */
void sprof_code_flow_restart(
	struct sprof_code_flow *flow, const struct sprof_code_state *state, uint32_t offset);

/* code-ahead.c: a way returns in this state. */
void sprof_code_ahead_return(struct sprof_code_ahead *ahead, const struct sprof_code_state *state);

/* The instruction at an offset. NULL: there is none, or no memory. */
const struct sprof_instruction *sprof_code_decode(struct sprof_code_flow *flow, uint32_t at);

/* A way comes to this offset in this state: from behind this call, or NONE from elsewhere. */
void sprof_code_enter(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	uint32_t offset, uint32_t call);

/* code-targets.c: a way comes to all that a table leads to. False: none of it is in the function. */
bool sprof_code_enter_targets(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	const struct sprof_code_table *table);

/* Follows all ways that have been entered, until nothing changes any more. */
void sprof_code_work_off(struct sprof_code_flow *flow);

/* The same from the first block of a trial on: what it knew holds where it went on to, too. */
void sprof_code_follow_again(struct sprof_code_flow *flow, uint32_t first);

/* code-gaps.c: tries what no way has led to. */
void sprof_code_fill_gaps(struct sprof_code_flow *flow);

/* code-list.c: the row at each instruction. False: no memory. */
bool sprof_code_list(const struct sprof_code_flow *flow, struct sprof_code_rows *rows);

#endif
