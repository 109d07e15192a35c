/*
 * One step of a stack walk with the registers that nearly every CFI row needs: pc, sp, fp (and lr).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "unwind/snapshot.h"

/* How to step from a pc, in 16 bytes. */
struct sprof_rule {
	int32_t cfa_offset, fp_offset;
	int16_t ra_offset, cfa_add;
	uint8_t cfa;            /* enum sprof_cfa_rule */
	uint8_t regs;           /* enum sprof_reg_rule: ra in the low half, fp in the high half */
	bool is_computed;       /* from the function's code, because it has no CFI */
	uint8_t words_above_fp; /* of the CFA, in a rule by sp; 0: unknown */
};

struct sprof_cfi_row;

/* In rows.c: converts a row to a rule. */
struct sprof_rule sprof_rule_of_row(const struct sprof_cfi_row *row, bool is_computed);

enum { SPROF_RULE_FP_SHIFT = 4, SPROF_RULE_RA_MASK = 15 };

/* The position of a walk. */
struct sprof_cursor {
	uint64_t pc, sp, fp;
	uint64_t lr; /* with a link register: the innermost frame's */
	/*
	 * for go-step.c: where the thread's own stack was left for the next goroutine; 0: unknown
	 */
	uint64_t system_sp;
	/* the bits of a return address that hold its signature; see sprof_regs_signature_mask() */
	uint64_t signature;
	bool fp_known, lr_known;
	bool is_scheduler; /* for go-step.c: Go's scheduler is among the frames so far */
	bool is_return;    /* pc is a return address: look it up at pc - 1 */
	bool innermost;    /* no step yet, or the last step crossed a signal frame */
};

enum sprof_step {
	SPROF_STEP_OK,
	SPROF_STEP_ROOT,
	SPROF_STEP_STACK_COPY, /* needs a word beyond the copied part of the stack */
	SPROF_STEP_BAD_MEMORY,
	SPROF_STEP_NO_PROGRESS,
	SPROF_STEP_REGISTER, /* fp is needed but unknown */
	SPROF_STEP_OTHER,    /* needs a full unwinder */
};

/*
 * A word of the snapshot, as the outcome of a step. Always inlined, so that the cursor stays in
 * registers: in memory, its words would be written singly and read in pairs, which processors don't
 * forward.
 */
static inline __attribute__((always_inline)) enum sprof_step sprof_step_read(
	const struct sprof_snapshot *snapshot, uint64_t address, uint64_t *ret)
{
	switch (sprof_snapshot_word(snapshot, address, ret)) {
	case SPROF_STACK_OK:
		return SPROF_STEP_OK;
	case SPROF_STACK_BEYOND_COPY:
		return SPROF_STEP_STACK_COPY;
	case SPROF_STACK_ELSEWHERE:
		break;
	}
	return SPROF_STEP_BAD_MEMORY;
}

/* Assumes unsigned return addresses; the caller may set `signature`. */
void sprof_cursor_init(struct sprof_cursor *cursor, const struct sprof_regs *regs);

/* Moves the cursor to the caller's frame by a rule from CFI. Unchanged unless the result is OK. */
enum sprof_step sprof_step(const struct sprof_snapshot *snapshot, const struct sprof_rule *rule,
	struct sprof_cursor *cursor);

/* Steps by the frame pointer chain, for code without CFI. The caller checks that the new pc is
 * code. */
enum sprof_step sprof_step_frame_pointer(
	const struct sprof_snapshot *snapshot, struct sprof_cursor *cursor);

/*
 * Steps out of a leaf function without CFI and frame: the return address is where the call put it.
 */
enum sprof_step sprof_step_leaf(const struct sprof_snapshot *snapshot, struct sprof_cursor *cursor);

/* In go-step.c: steps by a rule for a function of Go's runtime that switches stacks
 * (SPROF_CFA_GO_...). */
enum sprof_step sprof_step_go(const struct sprof_snapshot *snapshot, const struct sprof_rule *rule,
	struct sprof_cursor *cursor);
