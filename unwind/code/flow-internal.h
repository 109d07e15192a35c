/*
 * Shared by the files that follow a function's code: ahead.c, flow.c, gaps.c,
 * ways.c, targets.c and list.c. Each calls only those after it in this list. No
 * other file includes this header.
 */
#pragma once

#include "base/attributes.h"
#include "unwind/code/flow.h"
#include "unwind/code/instruction.h"
#include "unwind/code/state.h"
#include "unwind/code/table.h"

enum {
	NONE = UINT32_MAX,
	MOST_RUNS = 16,  /* runs from one start, each with one more call known not to return */
	MOST_COMMON = 4, /* states to try for code that no path reaches */
};

/* What is known about one byte of the function. */
struct place {
	/* an instruction starts here: its index + 1 */
	uint32_t instruction;
	uint32_t block; /* a block starts here: its index + 1 */
	/* a block with a path to here: its index + 1 */
	uint32_t owner;
	enum { RETURNS, IS_END, IS_END_BY_TRIAL } end; /* for a call */
	bool is_whole;                                 /* targets.c: a jump may lead here */
};

/* Code entered only at its start. */
struct block {
	struct sprof_code_state in;
	uint32_t offset;
	uint32_t call; /* its only predecessor is this call; NONE: jumps lead here, too */
	bool is_queued;
};

/* The offset of a call, and its sp. */
struct call {
	uint32_t at;
	int64_t sp;
};

/* Code after a call and padding, which may be the next function. */
struct doubt {
	struct sprof_code_state state;
	uint32_t at;
};

/* For code of an unknown function: the result of following it to its returns. */
struct sprof_code_ahead {
	struct sprof_cfi_row row; /* at the requested instruction */
	bool has_any, disagrees;
};

/* The state common to several places, by distinct distance of sp. */
struct common {
	struct sprof_code_state states[MOST_COMMON];
	unsigned counts[MOST_COMMON]; /* number of places; 0: unused */
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
	size_t steps;                     /* steps left */
	uint32_t reached;                 /* end of the code reached */
	struct common at_calls, at_jumps; /* at_jumps: at jumps to an unknown target */
	bool may_again, again, out_of_memory;
	bool has_read; /* is_whole of the places is set */
	/*
	 * it returns, or computes with the frame pointer, so a frame pointer of 0 did not mark a
	 * root
	 */
	bool has_caller;
	/* During a trial: */
	/* block; earlier ones were reached before the trial. NONE: no trial */
	uint32_t first_tried;
	size_t calls_before, doubts_before;
	uint32_t *touched; /* offsets of places */
	size_t touched_count, touched_capacity;
	bool is_wrong, is_confirmed;
	struct sprof_code_ahead *ahead; /* updated at returns; NULL: the paths start at an entry */
};

/* Starts without paths and decoded instructions. Returns false without a decoder or code;
 * out_of_memory shows whether memory ran out. */
bool sprof_code_flow_begin(
	struct sprof_code_flow *flow, const struct sprof_code *code) SPROF_MUST_USE;

/*
 * Follows all paths from one offset; none if the state is NULL. Keeps only the instructions and
 * which calls don't return. Sets `again` if another call is found not to return.
 */
void sprof_code_flow_restart(
	struct sprof_code_flow *flow, const struct sprof_code_state *state, uint32_t offset);

/* The instruction at an offset. NULL: none, or out of memory (out_of_memory is set). */
const struct sprof_instruction *sprof_code_decode(
	struct sprof_code_flow *flow, uint32_t at) SPROF_MUST_USE;

/* Adds a path to this offset with this state; `call`: the call before it, or NONE. */
void sprof_code_enter(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	uint32_t offset, uint32_t call);

/* In targets.c: the next offset that a table leads to, from entry *index on. Returns false at
 * the end. */
bool sprof_code_next_target(struct sprof_code_flow *flow, const struct sprof_code_table *table,
	uint32_t *index, uint32_t *ret);

/* Follows all pending paths until nothing changes. */
void sprof_code_work_off(struct sprof_code_flow *flow);

/*
 * Follows again from the first block of a trial: what the trial found also applies where it led to.
 */
void sprof_code_follow_again(struct sprof_code_flow *flow, uint32_t first);

/* In gaps.c: tries the code that no path has reached. */
void sprof_code_fill_gaps(struct sprof_code_flow *flow);

/* In list.c: the row at each instruction. Returns false if out of memory. */
bool sprof_code_list(
	const struct sprof_code_flow *flow, struct sprof_code_rows *rows) SPROF_MUST_USE;
