/*
 * Shared by the files that follow a function's code: code-ahead.c, code-flow.c, code-gaps.c,
 * code-ways.c, code-targets.c and code-list.c. Each calls only those after it in this list. No
 * other file includes this header.
 */
#ifndef SPROF_UNWIND_CODE_FLOW_INTERNAL_H
#define SPROF_UNWIND_CODE_FLOW_INTERNAL_H

#include "base/attributes.h"
#include "unwind/code-flow.h"
#include "unwind/code-state.h"
#include "unwind/code-table.h"
#include "unwind/instruction.h"

enum {
	NONE = UINT32_MAX,
	MOST_RUNS = 16,  /* from one start, each with one more call that doesn't return */
	MOST_COMMON = 4, /* states to try for code that no way leads to */
};

/* What is known of one byte of the function. */
struct place {
	uint32_t instruction;                          /* starts here, + 1 */
	uint32_t block;                                /* starts here, + 1 */
	uint32_t owner;                                /* block with a way to here, + 1 */
	enum { RETURNS, IS_END, IS_END_BY_TRIAL } end; /* of a call */
	bool is_whole;                                 /* code-targets.c: a jump may lead here */
};

/* Code that is entered only at its start. */
struct block {
	struct sprof_code_state in;
	uint32_t offset;
	uint32_t call; /* its only predecessor is this call; NONE: a jump leads here too */
	bool is_queued;
};

/* The position of a call, and sp there. */
struct call {
	uint32_t at;
	int64_t sp;
};

/* Code after a call and padding: it may be the next function. */
struct doubt {
	struct sprof_code_state state;
	uint32_t at;
};

/* The result of following code whose function is unknown, at its returns. */
struct sprof_code_ahead {
	struct sprof_cfi_row row; /* at the instruction that was asked for */
	bool has_any, disagrees;
};

/* What holds at several places, for each distinct distance of sp. */
struct common {
	struct sprof_code_state states[MOST_COMMON];
	unsigned counts[MOST_COMMON]; /* of places; 0: unused */
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
	uint32_t reached;                 /* the end of the code that ways have reached */
	struct common at_calls, at_jumps; /* at_jumps: jumps to an unknown place */
	bool may_again, again, out_of_memory;
	bool has_read; /* is_whole of the places is set */
	/* it returns, or computes with the frame pointer: a 0 in it did not mean a root */
	bool has_caller;
	/* During a trial: */
	uint32_t first_tried; /* block; earlier ones were reached before the trial. NONE: no
				 trial */
	size_t calls_before, doubts_before;
	uint32_t *touched; /* offsets of places */
	size_t touched_count, touched_capacity;
	bool is_wrong, is_confirmed;
	struct sprof_code_ahead *ahead; /* filled as ways return; NULL: the ways start at an
					   entry */
};

/* Starts with no way and nothing decoded. False: no decoder or no code; out_of_memory tells if
 * memory was short. */
bool sprof_code_flow_begin(
	struct sprof_code_flow *flow, const struct sprof_code *code) SPROF_MUST_USE;

/*
 * Follows all ways from one offset; none if the state is NULL. Keeps only the instructions and
 * which calls don't return. Sets `again` if another call turns out not to return.
 */
void sprof_code_flow_restart(
	struct sprof_code_flow *flow, const struct sprof_code_state *state, uint32_t offset);

/* The instruction at an offset. NULL: there is none, or no memory (out_of_memory is set). */
const struct sprof_instruction *sprof_code_decode(
	struct sprof_code_flow *flow, uint32_t at) SPROF_MUST_USE;

/* Adds a way to this offset in this state: after this call, or NONE for other ways. */
void sprof_code_enter(struct sprof_code_flow *flow, const struct sprof_code_state *state,
	uint32_t offset, uint32_t call);

/* code-targets.c: the next offset that a table leads to, from entry *index on. False: none is
 * left. */
bool sprof_code_next_target(struct sprof_code_flow *flow, const struct sprof_code_table *table,
	uint32_t *index, uint32_t *ret);

/* Follows all pending ways, until nothing changes any more. */
void sprof_code_work_off(struct sprof_code_flow *flow);

/* Follows again from the first block of a trial on: its knowledge also applies where it
 * continued. */
void sprof_code_follow_again(struct sprof_code_flow *flow, uint32_t first);

/* code-gaps.c: tries the code that no way has reached. */
void sprof_code_fill_gaps(struct sprof_code_flow *flow);

/* code-list.c: the row at each instruction. False: no memory. */
bool sprof_code_list(
	const struct sprof_code_flow *flow, struct sprof_code_rows *rows) SPROF_MUST_USE;

#endif
