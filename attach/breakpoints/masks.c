/* Derives the mask before a trap. signals.c finds the known masks. */
#include "attach/breakpoints/masks.h"

#include <signal.h>
#include <string.h>

static uint64_t trap_bit(void)
{
	return sprof_trap_mask_bit(SIGTRAP);
}

void sprof_trap_masks_note(struct sprof_trap_masks *masks, uint64_t mask)
{
	if (masks->count && masks->known[0] == mask)
		return;
	memmove(masks->known + 1, masks->known, sizeof(masks->known) - sizeof(masks->known[0]));
	masks->known[0] = mask;
	if (masks->count < SPROF_TRAP_MASKS)
		masks->count++;
}

void sprof_trap_masks_change(struct sprof_trap_masks *masks, uint64_t how, uint64_t set)
{
	const uint64_t never = sprof_trap_mask_bit(SIGKILL) | sprof_trap_mask_bit(SIGSTOP);
	const uint64_t now = masks->known[0];

	if (how == SIG_SETMASK)
		sprof_trap_masks_note(masks, set & ~never);
	else if (masks->count && how == SIG_BLOCK)
		sprof_trap_masks_note(masks, (now | set) & ~never);
	else if (masks->count && how == SIG_UNBLOCK)
		sprof_trap_masks_note(masks, now & ~set);
}

static uint64_t faults(void)
{
	return sprof_trap_mask_bit(SIGILL) | sprof_trap_mask_bit(SIGBUS) |
		sprof_trap_mask_bit(SIGFPE) | sprof_trap_mask_bit(SIGSEGV);
}

uint64_t sprof_trap_masks_before(const struct sprof_trap_masks *masks, uint64_t behind)
{
	const uint64_t others = behind & ~trap_bit();
	const uint64_t last = masks->count ? masks->known[0] : 0;
	const bool blocks_more = !(last & ~trap_bit() & ~others);

	for (unsigned i = 0; i < masks->count; i++) {
		if ((masks->known[i] & ~trap_bit()) == others)
			return masks->known[i];
	}
	if ((last & trap_bit() && blocks_more) || (others & faults()) == faults())
		return others | trap_bit();
	return behind;
}
