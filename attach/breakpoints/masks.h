/*
 * Whether a thread has blocked SIGTRAP, which a trap of ours has just unblocked. Pure functions.
 *
 * A trap that comes while the signal is blocked makes the kernel unblock it (kernel/signal.c,
 * force_sig_info_to_task). Afterwards the mask says nothing about that signal. So the mask is found from those
 * that were known before.
 */
#ifndef SPROF_ATTACH_BREAKPOINTS_MASKS_H
#define SPROF_ATTACH_BREAKPOINTS_MASKS_H

#include <stdbool.h>
#include <stdint.h>

enum { SPROF_TRAP_MASKS = 4 };

/* The latest masks of a thread that are known, as the kernel has them; the last one first. Zeroed: none is. */
struct sprof_trap_masks {
	uint64_t known[SPROF_TRAP_MASKS];
	unsigned count;
};

/* The bit of a signal in a mask. */
static inline uint64_t sprof_trap_mask_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* The thread's mask is this one now. */
void sprof_trap_masks_note(struct sprof_trap_masks *masks, uint64_t mask);

/* The same after rt_sigprocmask(2) with these arguments; nothing if no mask is known. */
void sprof_trap_masks_change(struct sprof_trap_masks *masks, uint64_t how, uint64_t set);

/*
 * The mask as it was before the trap, from the one behind it. It is exact if it is one of the known ones. Else a
 * thread that has only blocked more since blocks what it did; any other is taken to block SIGTRAP if it blocks
 * all signals of faults, as a thread does that blocks every signal.
 */
uint64_t sprof_trap_masks_before(const struct sprof_trap_masks *masks, uint64_t behind);

#endif
