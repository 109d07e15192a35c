/*
 * What becomes of a stopped thread's copied stack: a sample, with the state that its registers tell. Does not
 * handle how the stop came about.
 */
#include "sampler/sampler-internal.h"

#include "base/clock.h"

/* As long as the stop of a running thread may take on a machine that is not overloaded. */
enum { LATE_NS = SPROF_NS_PER_MS };

/* What the thread does in the kernel, by its registers. It runs again by now, or waits on. */
static void find_wait(struct sampler *sampler, const struct slot *slot, enum sprof_state state)
{
	struct sampling *sampling = slot->thread->sampling;
	const struct sprof_regs *regs = &slot->snapshot.regs;
	struct sprof_proc_syscall call = {
		.kind = SPROF_PROC_SYSCALL_INSIDE,
		.number = regs->system_call,
		.sp = regs->values[SPROF_REG_SP],
		.pc = regs->values[SPROF_REG_PC],
	};

	sprof_regs_arguments(regs, call.arguments);
	if (state == SPROF_STATE_SLEEP) {
		sprof_waits_look_up(sampler, slot->thread, &call);
		return;
	}
	sampling->wait.lock.active = false;
	sampling->wait.sp = 0;
	sampling->wait.id = state == SPROF_STATE_SYS
		? sprof_waits_running(sampler, slot->thread, &call)
		: SPROF_WAIT_NONE;
}

/* Its page faults were counted before; in so long it may have had more. Once in a tick is enough. */
static void doubt_late(const struct sampler *sampler, const struct slot *slot)
{
	struct sprof_process *process = slot->thread->process;

	if (process->late_tick_ns == sampler->tick.ns ||
		sprof_clock_now_ns() <= sampler->tick.ns + LATE_NS)
		return;
	process->late_tick_ns = sampler->tick.ns;
	process->change++;
}

static struct sprof_walked walk(struct sampler *sampler, struct slot *slot)
{
	doubt_late(sampler, slot);
	return sprof_walk_copy(sampler, slot->thread, &slot->snapshot);
}

/* It ran when it was looked at, and may have gone to sleep before it stopped. */
static enum sprof_state state_of(const struct slot *slot)
{
	const struct sprof_regs *regs = &slot->snapshot.regs;

	if (regs->system_call < 0)
		return SPROF_STATE_USER;
	return sprof_regs_was_waiting(regs) ? SPROF_STATE_SLEEP : SPROF_STATE_SYS;
}

/* The stop is the sample. */
static void take(struct sampler *sampler, struct slot *slot)
{
	struct sampling *sampling = slot->thread->sampling;
	struct sprof_walked walked = walk(sampler, slot);

	sampling->last.stack = walked.stack;
	sampling->last.state = state_of(slot);
	find_wait(sampler, slot, sampling->last.state);
	if (!sprof_mode_takes(sampler->options->mode, sampling->last.state))
		return;
	sprof_samples_emit(sampler, slot->thread, 1);
	sampler->quality->samples_stopped++;
	sprof_walk_count(sampler->quality, walked.end, walked.way, 1);
}

void sprof_stopped_finish(struct sampler *sampler, struct slot *slot)
{
	if (slot->phase == SLOT_GONE)
		return;
	if (slot->phase == SLOT_COPIED)
		take(sampler, slot);
	else
		sprof_peek_late(sampler, slot->thread);
}
