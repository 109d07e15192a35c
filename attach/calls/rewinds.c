/*
 * Remembers where handlers interrupted a thread, and which call was restarted last;
 * attach/regs/<machine>.c moves the thread. A return from a handler and a stop look alike: both
 * leave the thread after the interrupted call, with EINTR. The remembered places distinguish them.
 */
#include "attach/calls/rewinds.h"

#include <string.h>

#include "attach/regs/regs.h"

/* The thread has made no step since. Its further arguments and the call's number are in registers
 * that keep their values. One register may not have shown its value at the stop. */
static bool stands_there(const struct sprof_rewinds *rewinds, const struct sprof_regs *regs)
{
	uint64_t expected[SPROF_REG_COUNT];

	if (!rewinds->placed.pc)
		return false;
	memcpy(expected, rewinds->before.values, sizeof(expected));
	expected[SPROF_REG_CALL_STOP] = regs->values[SPROF_REG_CALL_STOP];
	expected[SPROF_REG_PC] = rewinds->placed.pc;
	expected[0] = rewinds->placed.value;
	return !memcmp(expected, regs->values, sizeof(expected));
}

static void add_handled(struct sprof_rewinds *rewinds, uint64_t pc, uint64_t sp)
{
	for (unsigned i = 0; i < SPROF_REWINDS_HANDLED; i++) {
		if (rewinds->handled[i].pc == pc && rewinds->handled[i].sp == sp)
			return;
	}
	rewinds->handled[rewinds->next].pc = pc;
	rewinds->handled[rewinds->next].sp = sp;
	rewinds->next = (rewinds->next + 1) % SPROF_REWINDS_HANDLED;
}

bool sprof_rewinds_handle(
	struct sprof_rewinds *rewinds, const struct sprof_regs *regs, struct sprof_regs_place *ret)
{
	const bool is_placed = stands_there(rewinds, regs);

	if (is_placed)
		*ret = (struct sprof_regs_place){
			rewinds->before.values[SPROF_REG_PC], rewinds->before.values[0]};
	add_handled(rewinds, is_placed ? ret->pc : regs->values[SPROF_REG_PC],
		regs->values[SPROF_REG_SP]);
	rewinds->placed.pc = 0;
	return is_placed;
}

bool sprof_rewinds_allow(struct sprof_rewinds *rewinds, const struct sprof_regs *regs)
{
	const uint64_t pc = regs->values[SPROF_REG_PC], sp = regs->values[SPROF_REG_SP];

	for (unsigned i = 0; i < SPROF_REWINDS_HANDLED; i++) {
		/* The kernel lets a call that it wanted to restart return EINTR after a handler. */
		if (rewinds->handled[i].sp != sp ||
			(rewinds->handled[i].pc != pc &&
				rewinds->handled[i].pc + SPROF_CALL_INSTRUCTION != pc))
			continue;
		rewinds->handled[i].sp = 0;
		return false;
	}
	return true;
}

void sprof_rewinds_note(struct sprof_rewinds *rewinds, const struct sprof_regs *regs,
	const struct sprof_regs_place *place)
{
	rewinds->before = *regs;
	rewinds->placed = *place;
}
