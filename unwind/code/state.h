/*
 * The known contents of registers and stack words at one place in a function, relative to its CFA.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/cfi/cfi.h"
#include "unwind/code/instruction.h"

/* The content of a register. */
enum sprof_code_kind {
	SPROF_CODE_UNKNOWN,
	SPROF_CODE_CALLERS, /* the caller's frame pointer + number */
	/* 0 instead of the caller's frame pointer, set at the entry: no caller */
	SPROF_CODE_ROOT,
	SPROF_CODE_CFA,     /* CFA + number */
	SPROF_CODE_WORD,    /* the initial word at CFA + number */
	SPROF_CODE_FP_WORD, /* the initial word at the caller's frame pointer + number */
	/* number above sp, when sp was set at `origin` from an unknown value */
	SPROF_CODE_PLACE,
	SPROF_CODE_CONSTANT, /* number */
	/* an entry of a table of code addresses at number, of `size` bytes */
	SPROF_CODE_ENTRY,
	SPROF_CODE_TARGET, /* such an entry plus the table's address */
};

struct sprof_code_value {
	int64_t number;
	uint32_t origin; /* offset of an instruction in the function */
	uint16_t size;
	uint16_t kind; /* enum sprof_code_kind */
};

/* A stack word that holds the caller's frame pointer or an address relative to the CFA. */
struct sprof_code_slot {
	struct sprof_code_value at, value;
};

enum { SPROF_CODE_SLOTS = 6 };

struct sprof_code_state {
	struct sprof_code_value registers[SPROF_CODE_REGISTERS];
	struct sprof_code_slot slots[SPROF_CODE_SLOTS];
	uint32_t slot_count;
	uint32_t bound; /* an index was compared to be below this; 0: not compared */
	/* The last comparison: this register with a register or a constant. */
	uint8_t compared, compared_with;
	int64_t compared_value;
};

/* The state at a function's entry: only the return address is on the stack. */
void sprof_code_state_init(struct sprof_code_state *state);

/*
 * The state at an arbitrary instruction: nothing is known. "CFA" then means sp at this instruction,
 * and "the caller's frame pointer" the frame pointer here.
 */
void sprof_code_state_init_anywhere(struct sprof_code_state *state);

/* The state after an instruction at this offset. Jumps and returns change nothing. */
void sprof_code_state_apply(struct sprof_code_state *state,
	const struct sprof_instruction *instruction, uint32_t offset);

/* Adds what a branch implies. `is_taken`: at its target. */
void sprof_code_state_branch(
	struct sprof_code_state *state, const struct sprof_instruction *branch, bool is_taken);

/* Reduces `into` to what both paths to a place agree on. Returns true if it has changed. */
bool sprof_code_state_meet(struct sprof_code_state *into, const struct sprof_code_state *from);

/* Whether both know sp, but at different distances: one of the paths is impossible. */
bool sprof_code_state_conflicts(
	const struct sprof_code_state *one, const struct sprof_code_state *other);

/* Whether the distance of sp from the CFA is known. */
bool sprof_code_state_knows_sp(const struct sprof_code_state *state);

/* Whether the frame pointer has the caller's value. */
bool sprof_code_state_has_callers_fp(const struct sprof_code_state *state);

/* Where the caller's frame pointer is saved, at a known distance from the CFA. NULL: not saved. */
const struct sprof_code_slot *sprof_code_state_callers_fp(const struct sprof_code_state *state);

/* Whether the frame pointer shows that there is no caller. */
bool sprof_code_state_is_root(const struct sprof_code_state *state);

/* Records that there is a caller, even if the frame pointer shows none. */
void sprof_code_state_forget_root(struct sprof_code_state *state);

/* Whether sp points to the return address, and the frame pointer has the caller's value. */
bool sprof_code_state_may_return(const struct sprof_code_state *state);

/* In row.c: the row for an instruction in this state; its `end` is left 0. */
struct sprof_cfi_row sprof_code_state_row(const struct sprof_code_state *state);

/* The row at the start of a path that began without knowledge and returns in this state. */
struct sprof_cfi_row sprof_code_state_row_before_return(const struct sprof_code_state *state);
