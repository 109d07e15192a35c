/*
 * Whether a thread had blocked SIGTRAP before a trap of sprof unblocked it. Pure functions.
 *
 * A trap that comes while the signal is blocked makes the kernel unblock it (kernel/signal.c,
 * force_sig_info_to_task). Afterwards the mask does not show whether SIGTRAP was blocked. So that
 * is derived from earlier masks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SPROF_TRAP_MASKS = 4 };

/* The latest known masks of a thread in the kernel's format, newest first. Zeroed: none. */
struct sprof_trap_masks {
	uint64_t known[SPROF_TRAP_MASKS];
	unsigned count;
};

static inline uint64_t sprof_trap_mask_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* Records the thread's present mask. */
void sprof_trap_masks_note(struct sprof_trap_masks *masks, uint64_t mask);

/*
 * Records the mask after rt_sigprocmask(2) with these arguments. If no mask is known, only
 * SIG_SETMASK has an effect.
 */
void sprof_trap_masks_change(struct sprof_trap_masks *masks, uint64_t how, uint64_t set);

/*
 * The mask before the trap, from the mask after it (`behind`). Exact if it equals a known mask
 * except for SIGTRAP. Otherwise SIGTRAP is taken to be blocked if the last known mask blocked it
 * and only more signals are blocked now, or if all signals of faults are blocked, as in a thread
 * that blocks every signal.
 */
uint64_t sprof_trap_masks_before(const struct sprof_trap_masks *masks, uint64_t behind);
