/*
 * What becomes of a thread's copied stack: a sample, with the state that its registers tell. Knows how
 * a sleep and the stop that was made in it belong together; refuses to know how the stop came about.
 */
#include "sampler/sampler-internal.h"

#include "base/clock.h"

/* As long as the stop of a running thread may take on a machine that is not overloaded. */
enum { LATE_NS = SPROF_NS_PER_MS };

/* Remembers a frame pointer for the rest of this sleep: our stop costs two time slices. */
static void remember_fp(const struct slot *slot, struct known_fp *fp)
{
	const struct sprof_regs *regs = &slot->snapshot.regs;

	fp->known = slot->before.state != SPROF_STATE_USER;
	fp->value = regs->values[SPROF_REG_FP];
	fp->sp = regs->values[SPROF_REG_SP];
	fp->pc = regs->values[SPROF_REG_PC];
	fp->timeslices = slot->before.timeslices + 2;
}

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

/* It slept when it was looked at, and had gone on before it stopped: what it waited for is over. */
static bool has_woken(const struct slot *slot)
{
	const struct sprof_regs *regs = &slot->snapshot.regs;

	return slot->before.state != SPROF_STATE_USER && (regs->values[SPROF_REG_SP] != slot->before.sp ||
							  regs->values[SPROF_REG_PC] != slot->before.pc);
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

	if (slot->before.state != SPROF_STATE_USER || regs->system_call < 0)
		return slot->before.state;
	return sprof_regs_was_waiting(regs) ? SPROF_STATE_SLEEP : SPROF_STATE_SYS;
}

/* The stop is the sample. */
static void take(struct sampler *sampler, const struct slot *slot, const struct sprof_walked *walked)
{
	struct sampling *sampling = slot->thread->sampling;

	sampling->last.stack = walked->stack;
	sampling->last.state = state_of(slot);
	if (slot->before.state == SPROF_STATE_USER)
		find_wait(sampler, slot, sampling->last.state);
	if (!sprof_mode_takes(sampler->options->mode, sampling->last.state))
		return;
	sprof_samples_emit(sampler, slot->thread, 1);
	sampler->quality->samples_stopped++;
	sampler->quality->stacks[walked->end]++;
}

static void sample(struct sampler *sampler, struct slot *slot)
{
	struct sampling *sampling = slot->thread->sampling;
	struct sprof_walked walked;

	if (has_woken(slot))
		slot->before.state = SPROF_STATE_USER;
	remember_fp(slot, &sampling->fp);
	walked = walk(sampler, slot);
	/* What is owed of the sleep that it stopped at the end of is on the same stack. */
	sprof_owed_pay(sampler, slot->thread, &slot->snapshot.regs, &walked);
	take(sampler, slot, &walked);
}

void sprof_stopped_finish(struct sampler *sampler, struct slot *slot)
{
	if (slot->phase == SLOT_GONE)
		return;
	if (slot->phase == SLOT_COPIED)
		sample(sampler, slot);
	else
		sprof_peek_late(sampler, slot->thread);
}

void sprof_stopped_pay(struct sampler *sampler, struct slot *slot)
{
	const struct sprof_regs *regs = &slot->snapshot.regs;
	struct sprof_thread *thread = slot->thread;
	struct sprof_walked walked;

	if (slot->phase == SLOT_COPIED) {
		walked = walk(sampler, slot);
		if (sprof_owed_cancel(thread->sampling, regs))
			take(sampler, slot, &walked);
		else
			sprof_owed_pay(sampler, thread, regs, &walked);
	}
	sprof_owed_forgive(sampler, thread);
}
