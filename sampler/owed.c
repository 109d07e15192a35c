/*
 * Samples that are owed: of a sleep that can't be walked without the frame pointer, nor broken off to
 * get it. The thread is asked to stop all the same, which it does when the sleep is over and before it
 * executes an instruction; then the samples are taken, with the registers of that stop. Knows of which
 * sleeps that is true; refuses to know how threads are stopped.
 */
#include "sampler/owed.h"

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
	return !sampler->quality->schedstat_missing && !sampler->tick.closing &&
		is_unbroken(letter, call) && sprof_stops_ask(sampler, thread);
}

void sprof_owed_begin(struct owed *owed, const struct sprof_proc_syscall *call, uint64_t now_ns)
{
	if (!owed->count)
		owed->since_ns = now_ns;
	owed->count++;
	owed->sp = call->sp;
	owed->pc = call->pc;
}

bool sprof_owed_more(struct owed *owed, uint32_t times)
{
	if (!owed->count)
		return false;
	owed->count += times;
	return true;
}

static void emit(struct sampler *sampler, struct sprof_thread *thread, enum sprof_end end)
{
	struct sampling *sampling = thread->sampling;

	sprof_samples_emit(sampler, thread, sampling->owed.count);
	sampler->quality->samples_peeked++;
	sampler->quality->samples_reused += sampling->owed.count - 1;
	sampler->quality->stacks[end] += sampling->owed.count;
	sampling->owed.count = 0;
}

static bool has_gone_on(const struct owed *owed, const struct sprof_regs *regs)
{
	return regs->values[SPROF_REG_SP] != owed->sp || regs->values[SPROF_REG_PC] != owed->pc;
}

bool sprof_owed_cancel(struct sampling *sampling, const struct sprof_regs *regs)
{
	if (!sampling || sampling->owed.count != 1 || !has_gone_on(&sampling->owed, regs))
		return false;
	sampling->owed.count = 0;
	sampling->sleep.active = false;
	return true;
}

void sprof_owed_pay(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_regs *regs, const struct sprof_walked *walked)
{
	struct sampling *sampling = thread->sampling;

	if (!sampling || !sampling->owed.count)
		return;
	if (has_gone_on(&sampling->owed, regs)) {
		sprof_owed_forgive(sampler, thread);
		return;
	}
	sampling->last.stack = walked->stack;
	emit(sampler, thread, walked->end);
	sampling->sleep.active = false;
}

void sprof_owed_forgive(struct sampler *sampler, struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	if (sampling && sampling->owed.count)
		emit(sampler, thread, sampling->last.end);
}
