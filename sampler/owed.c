/*
 * Samples that are owed: of a sleep that can't be walked without the frame pointer, nor broken off to
 * get it. The thread is asked to stop all the same, which it does when the sleep is over and before it
 * executes an instruction; then the samples are taken, with the registers of that stop. Knows of which
 * sleeps that is true; refuses to know how threads are stopped.
 */
#include "attach/restart.h"
#include "sampler/sampler-internal.h"

/* It sleeps uninterruptibly, or has been woken and waits for a CPU. */
static bool is_unbroken(char letter, const struct sprof_proc_syscall *call)
{
	return (letter == 'D' || letter == 'R') && sprof_restart_is_unneeded(call);
}

bool sprof_owed_ask(struct sampler *sampler, struct sprof_thread *thread, char letter,
	const struct sprof_proc_syscall *call)
{
	return !sampler->quality->schedstat_missing && !sampler->closing &&
		is_unbroken(letter, call) && sprof_stops_ask(sampler, thread);
}

void sprof_owed_begin(struct sampler *sampler, const struct sprof_thread *thread,
	const struct sprof_proc_syscall *call)
{
	struct sampling *sampling = thread->sampling;

	if (!sampling->owed)
		sampling->owed_since_ns = sampler->tick_ns;
	sampling->owed++;
	sampling->owed_sp = call->sp;
	sampling->owed_pc = call->pc;
}

bool sprof_owed_more(struct sampling *sampling, uint32_t times)
{
	if (!sampling->owed)
		return false;
	sampling->owed += times;
	return true;
}

static void emit(struct sampler *sampler, struct sprof_thread *thread, enum sprof_end end)
{
	struct sampling *sampling = thread->sampling;

	sprof_waits_emit(sampler, thread, sampling->owed);
	sampler->quality->samples_peeked++;
	sampler->quality->samples_reused += sampling->owed - 1;
	sampler->quality->stacks[end] += sampling->owed;
	sampling->owed = 0;
}

static bool has_gone_on(const struct sampling *sampling, const struct sprof_regs *regs)
{
	return regs->values[SPROF_REG_SP] != sampling->owed_sp ||
		regs->values[SPROF_REG_PC] != sampling->owed_pc;
}

bool sprof_owed_cancel(struct sampling *sampling, const struct sprof_regs *regs)
{
	if (!sampling || sampling->owed != 1 || !has_gone_on(sampling, regs))
		return false;
	sampling->owed = 0;
	sampling->asleep = false;
	return true;
}

void sprof_owed_pay(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_regs *regs, const struct sprof_walked *walked)
{
	struct sampling *sampling = thread->sampling;

	if (!sampling || !sampling->owed)
		return;
	if (has_gone_on(sampling, regs)) {
		sprof_owed_forgive(sampler, thread);
		return;
	}
	sampling->stack = walked->stack;
	emit(sampler, thread, walked->end);
	sampling->asleep = false;
}

void sprof_owed_forgive(struct sampler *sampler, struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	if (sampling && sampling->owed)
		emit(sampler, thread, sampling->end);
}
