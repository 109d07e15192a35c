/*
 * Peeking: the sample of a thread that sleeps, taken while it does. What the kernel says of its system
 * call has its sp and pc; its stack is copied from outside, and the copy is good if the count of its time
 * slices stands still over it. A sleeper is never stopped: where its stack can't be walked to the root by what a
 * peek knows, the sample ends there, with the reason.
 */
#include "sampler/sampler-internal.h"

#include "attach/kernel-stack.h"

enum { TRIES_ONCE = 7 }; /* from the smallest copy to the largest, and one more for the other stack of a goroutine */

/* What a peek has seen. */
struct sight {
	const struct sprof_proc_schedstat *schedstat; /* from before the copy */
	const struct sprof_proc_syscall *call;
	struct sprof_proc_stat stat;
	struct sprof_snapshot snapshot;
	struct sprof_walked walked;
};

static bool same_schedstat(
	const struct sprof_proc_schedstat *one, const struct sprof_proc_schedstat *other)
{
	return one->cpu_ns == other->cpu_ns && one->timeslices == other->timeslices;
}

static bool is_frozen(const struct sprof_thread *thread)
{
	struct sprof_kernel_stack stack;

	sprof_kernel_stack_read(thread->process->pid, thread->tid, &stack);
	return sprof_kernel_stack_is_frozen(&stack);
}

static enum sprof_state state_of(const struct sprof_thread *thread, const struct sight *sight)
{
	if (thread->phase == SPROF_THREAD_LISTENING || sight->stat.state == 'T')
		return SPROF_STATE_STOPPED;
	if (sight->call->kind == SPROF_PROC_SYSCALL_OUTSIDE && is_frozen(thread))
		return SPROF_STATE_STOPPED;
	return sight->stat.state == 'D' ? SPROF_STATE_DISK : SPROF_STATE_SLEEP;
}

/* The registers that a peek knows. */
static void set_regs(struct sight *sight)
{
	const struct sprof_proc_syscall *call = sight->call;
	struct sprof_regs *regs = &sight->snapshot.regs;

	*regs = (struct sprof_regs){.system_call = call->number};
	sprof_regs_set(regs, SPROF_REG_PC, call->pc);
	sprof_regs_set(regs, SPROF_REG_SP, call->sp);
}

/* On its way back from a stop or a page fault; or without schedstat, which then moves at the end of a slice only. */
static bool runs_by_now(const struct sampler *sampler, const struct sight *sight)
{
	return sight->stat.state == 'R' &&
		(sampler->quality->schedstat_missing || sight->call->kind == SPROF_PROC_SYSCALL_OUTSIDE);
}

/* It may never have stopped so far, and have been born since the mappings were read. */
static void expect_goroutine(struct sampler *sampler, struct sprof_thread *thread, uint64_t sp)
{
	struct sampling *sampling = thread->sampling;

	sprof_copy_plan_expect_goroutine(&sampling->copy);
	if (thread->thread_pointer || sampling->sought_thread)
		return;
	sampling->sought_thread = true;
	if (!sprof_maps_find(&thread->process->maps, sp))
		sprof_mappings_read(sampler, thread->process);
	thread->thread_pointer = sprof_goroutine_find_thread(thread, sp);
}

/* Copies the stack of a sleeper; false when it has moved meanwhile. */
static bool copy_sleeper(struct sampler *sampler, struct sprof_thread *thread, struct sight *sight)
{
	struct sampling *sampling = thread->sampling;
	struct sprof_proc_schedstat after;

	sprof_mappings_begin(sampler, thread->process);
	if (thread->process->go)
		expect_goroutine(sampler, thread, sight->call->sp);
	if (!sprof_copy_reserve(&sampler->peek.buffer, &sampling->copy)) {
		sampler->out_of_memory = true;
		return false;
	}
	set_regs(sight);
	return sprof_copy_stack(thread, &sampler->peek.buffer, NULL, &sight->snapshot) &&
		sprof_thread_read_stat(thread, &sight->stat) &&
		sprof_thread_read_schedstat(thread, &after) &&
		same_schedstat(sight->schedstat, &after) && !runs_by_now(sampler, sight);
}

/* A thread in a group-stop waits for nothing but to go on. */
static void find_wait(
	struct sampler *sampler, struct sprof_thread *thread, const struct sprof_proc_syscall *call)
{
	struct sampling *sampling = thread->sampling;

	if (sampling->last.state != SPROF_STATE_STOPPED) {
		sprof_waits_look_up(sampler, thread, call);
		return;
	}
	sampling->wait.id = SPROF_WAIT_NONE;
	sampling->wait.lock.active = false;
}

/* Where only running threads are wanted: it is asleep, and that is all. */
static bool pass_over(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_schedstat *schedstat)
{
	struct sampling *sampling = thread->sampling;

	if (sampler->options->mode != SPROF_MODE_CPU)
		return false;
	sampling->last.state = SPROF_STATE_SLEEP;
	sampling->wait.id = SPROF_WAIT_NONE;
	sprof_reuse_begin(sampler, &sampling->sleep, schedstat);
	sprof_charge_window(sampler, thread);
	return true;
}

static bool has_ended(char letter)
{
	return letter == 'Z' || letter == 'X';
}

/* At a birth or a signal, and not collected yet: that is no place of the thread's own. */
static bool is_in_our_stop(const struct sprof_thread *thread, char letter)
{
	return letter == 't' && thread->phase != SPROF_THREAD_LISTENING;
}

/* What the next ticks reuse. */
static void remember(struct sampler *sampler, struct sampling *sampling, const struct sight *sight)
{
	struct known_sleep *sleep = &sampling->sleep;

	sampling->last.end = sight->walked.end;
	sampling->last.way = sight->walked.way;
	sprof_reuse_begin(sampler, sleep, sight->schedstat);
	sleep->figures = sprof_figures_make(sampler->tick.ns, sight->schedstat, &sight->stat);
	sleep->active &= sight->walked.end != SPROF_END_STACK_COPY;
}

/* The tick has no sample of the thread; if it is on its way to a stop, that is taken all the same. */
static void lose(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;

	sampling->lost = thread->phase == SPROF_THREAD_INTERRUPTED;
	sampler->quality->samples_lost++;
}

/* In the only tick a copy that was too small is made again at once, as long as a larger one may help. */
static void walk(struct sampler *sampler, struct sprof_thread *thread, struct sight *sight)
{
	int tries = sampler->options->once ? TRIES_ONCE : 1;

	do
		sight->walked = sprof_walk_copy(sampler, thread, &sight->snapshot);
	while (--tries && sight->walked.end == SPROF_END_STACK_COPY &&
		copy_sleeper(sampler, thread, sight));
}

static void take(struct sampler *sampler, struct sprof_thread *thread, struct sight *sight)
{
	struct sampling *sampling = thread->sampling;

	sampling->last.state = state_of(thread, sight);
	walk(sampler, thread, sight);
	sampling->last.stack = sight->walked.stack;
	find_wait(sampler, thread, sight->call);
	remember(sampler, sampling, sight);
	sprof_samples_emit(sampler, thread, 1);
	sampler->quality->samples_peeked++;
	sprof_walk_count(sampler->quality, sight->walked.end, sight->walked.way, 1);
	sprof_charge_window(sampler, thread);
}

/*
 * It is being woken after a stop or a page fault, on a CPU that has not got to it yet (kernel/sched/core.c,
 * ttwu_queue_wakelist): that is not blocked.
 */
static bool is_ready(struct sprof_thread *thread, const struct sprof_proc_syscall *call)
{
	struct sprof_proc_stat stat;

	return call->kind == SPROF_PROC_SYSCALL_OUTSIDE && sprof_thread_read_stat(thread, &stat) &&
		stat.state == 'R';
}

bool sprof_peek(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_schedstat *schedstat, const struct sprof_proc_syscall *call)
{
	struct sight sight = {.schedstat = schedstat, .call = call};

	if (is_ready(thread, call))
		return false;
	if (pass_over(sampler, thread, schedstat))
		return true;
	if (!copy_sleeper(sampler, thread, &sight))
		return false;
	if (has_ended(sight.stat.state))
		return true;
	if (is_in_our_stop(thread, sight.stat.state) && !sampler->options->once) {
		lose(sampler, thread);
		return true;
	}
	/* There is no other tick: it is stopped when it has gone on; but not in a call, which that would break off. */
	if (is_in_our_stop(thread, sight.stat.state) && call->kind == SPROF_PROC_SYSCALL_OUTSIDE &&
		thread->phase == SPROF_THREAD_RUNNING)
		return false;
	take(sampler, thread, &sight);
	return true;
}

void sprof_peek_late(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sprof_proc_schedstat schedstat;
	struct sprof_proc_syscall call;

	if (sprof_thread_read_schedstat(thread, &schedstat) &&
		sprof_thread_read_syscall(thread, &call) &&
		call.kind != SPROF_PROC_SYSCALL_RUNNING && call.sp &&
		sprof_peek(sampler, thread, &schedstat, &call))
		return;
	lose(sampler, thread);
}
