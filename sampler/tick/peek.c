/*
 * Peeking: the kernel shows the sp and pc of a sleeper's system call. Its stack is copied from
 * outside; the copy is good if the count of its time slices is the same afterwards. A sleeper is
 * never stopped: if its stack can't be walked to the root with what a peek knows, the sample ends
 * there, with the reason.
 *
 * Some sleepers have no stack that can be read. A process may have made itself unreadable
 * (PR_SET_DUMPABLE) for an ordinary user: the kernel shows that a thread sleeps, but not where. And
 * the kernel's own workers in a process, such as io_uring's, have no user code. Their samples have
 * an empty stack with that reason. Does not handle running threads, except for workers.
 */
#include "blocked/kernel-stack-read.h"
#include "sampler/stack/mappings.h"
#include "sampler/tick/tick.h"

static enum sprof_state state_by(const struct sprof_thread *thread, char letter)
{
	if (thread->phase == SPROF_THREAD_LISTENING || letter == 'T')
		return SPROF_STATE_STOPPED;
	return letter == 'D' ? SPROF_STATE_DISK : SPROF_STATE_SLEEP;
}

/* The thread may never have stopped so far, and have been born after the mappings were read. */
static void find_thread(const struct sprof_world *world, struct sprof_thread *thread, uint64_t sp)
{
	struct sprof_goroutine_reading reading;
	struct copying copying;

	if (thread->thread_pointer || thread->sampling->sought_thread)
		return;
	thread->sampling->sought_thread = true;
	if (!sprof_maps_find(&thread->process->maps, sp))
		sprof_mappings_read(world, thread->process);
	copying = sprof_copying_of(world, thread, NULL);
	reading = sprof_copying_goroutine(&copying);
	thread->thread_pointer = sprof_goroutine_find_thread(
		&reading, &thread->process->maps, sp, thread->tid == thread->process->pid);
}

/*
 * Prepares the copy; how depends on the program. In vfork(3), the return address is in an
 * argument's register, and not on the stack. Returns false if out of memory.
 */
static bool prepare(struct peeking *peeking, const struct run *run, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call)
{
	struct sprof_regs *regs = &peeking->snapshot.regs;

	sprof_mappings_begin(run->world, thread->process);
	if (thread->process->sampling->mappings.go)
		find_thread(run->world, thread, call->sp);
	sprof_copy_plan_expect(thread);
	*regs = (struct sprof_regs){.system_call = call->number, .coming_call = -1};
	sprof_regs_set(regs, SPROF_REG_PC, call->pc);
	sprof_regs_set(regs, SPROF_REG_SP, call->sp);
	if (call->kind == SPROF_PROC_SYSCALL_INSIDE)
		sprof_regs_set_arguments(regs, call->arguments);
	return sprof_interpreted_prepare(run->world, thread, &peeking->buffer) &&
		sprof_copy_reserve(&peeking->buffer, &thread->sampling->copy);
}

/*
 * Whether the thread has stood still since it was seen; and its present state. It may run by now:
 * it returns from a stop or a page fault; or there is no schedstat, and its counts move late.
 */
static bool is_still(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct sprof_proc_stat *ret)
{
	const struct sprof_proc_schedstat *before = &sight->schedstat;
	struct sprof_proc_schedstat after;

	if (!run->world->read_stat(thread, ret) || !run->world->read_schedstat(thread, &after) ||
		before->cpu_ns != after.cpu_ns || before->timeslices != after.timeslices)
		return false;
	return ret->state != 'R' ||
		!(run->quality->schedstat_missing ||
			sight->call.kind == SPROF_PROC_SYSCALL_OUTSIDE);
}

/*
 * Whether a thread with that state in /proc/PID/stat stands in an uncollected stop of ours, also at
 * a birth or a signal: that is not the thread's own doing.
 */
static bool is_in_stop(const struct sprof_thread *thread, char letter)
{
	return letter == 't' && thread->phase != SPROF_THREAD_LISTENING;
}

static void observe(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *ret)
{
	*ret = (struct observation){
		.thread = thread,
		.by = OBSERVED_BY_PEEK,
		.time_ns = sight->tick_ns,
		.state = SPROF_STATE_SLEEP,
		.call = sight->call,
		.look = {now_of(run), sight->schedstat},
	};
}

/* The outcome for a thread that stands still, unless it has ended or is in a stop of ours. */
static enum peek_outcome outcome_of(const struct run *run, const struct sprof_thread *thread,
	const struct peek_sight *sight, char letter)
{
	if (letter == 'Z' || letter == 'X')
		return PEEK_NOTHING;
	if (!is_in_stop(thread, letter))
		return PEEK_TAKEN;
	/* A stop that we asked for has just come: it will give all registers. */
	if (!run->options->once || thread->phase == SPROF_THREAD_INTERRUPTED)
		return PEEK_IN_STOP;
	/*
	 * If there is only one tick, it is stopped once it runs; but not in a call, which a stop
	 * would break off.
	 */
	return sight->call.kind == SPROF_PROC_SYSCALL_OUTSIDE &&
			thread->phase == SPROF_THREAD_RUNNING
		? PEEK_AWAKE
		: PEEK_TAKEN;
}

enum peek_outcome sprof_peek(struct peeking *peeking, const struct run *run,
	struct sprof_thread *thread, const struct peek_sight *sight, struct observation *ret)
{
	const bool is_outside = sight->call.kind == SPROF_PROC_SYSCALL_OUTSIDE;
	const bool wants_stack = run->options->mode != SPROF_MODE_CPU;
	struct sprof_kernel_stack kernel;
	struct sprof_proc_stat stat;
	enum peek_outcome outcome;

	/*
	 * It is being woken after a stop or a page fault, on a CPU that has not noticed yet
	 * (kernel/sched/core.c, ttwu_queue_wakelist): it is ready, not blocked.
	 */
	if (is_outside && run->world->read_stat(thread, &stat) && stat.state == 'R')
		return PEEK_AWAKE;
	observe(run, thread, sight, ret);
	/* If only running threads are wanted, knowing that it sleeps is enough. */
	if (wants_stack) {
		struct copying copying;

		if (!prepare(peeking, run, thread, &sight->call))
			return PEEK_NO_MEMORY;
		copying = sprof_copying_of(run->world, thread, &peeking->buffer);
		if (!sprof_copy_stack(&copying, NULL, &peeking->snapshot))
			return PEEK_AWAKE;
	}
	if (!is_still(run, thread, sight, &stat))
		return PEEK_AWAKE;
	outcome = outcome_of(run, thread, sight, stat.state);
	if (!wants_stack || outcome != PEEK_TAKEN)
		return outcome;
	ret->snapshot = &peeking->snapshot;
	ret->state = state_by(thread, stat.state);
	if (is_outside) {
		sprof_kernel_stack_read(thread->process->pid, thread->tid, &kernel);
		if (sprof_kernel_stack_is_frozen(&kernel))
			ret->state = SPROF_STATE_STOPPED;
	}
	return PEEK_TAKEN;
}

static void observe_without_call(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, enum sprof_end end, struct observation *ret)
{
	observe(run, thread, sight, ret);
	ret->end = end;
	ret->call = (struct sprof_proc_syscall){.kind = SPROF_PROC_SYSCALL_OUTSIDE, .number = -1};
}

static enum peek_outcome observe_without_stack(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, char letter, enum sprof_end end, struct observation *ret)
{
	if (letter == 'Z' || letter == 'X')
		return PEEK_NOTHING;
	if (letter == 'R')
		return PEEK_AWAKE;
	if (!run->options->once && is_in_stop(thread, letter))
		return PEEK_IN_STOP;
	observe_without_call(run, thread, sight, end, ret);
	ret->state = state_by(thread, letter);
	return PEEK_TAKEN;
}

enum peek_outcome sprof_peek_denied(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *ret)
{
	struct sprof_proc_stat stat;

	if (!run->world->read_stat(thread, &stat))
		return PEEK_NOTHING;
	return observe_without_stack(run, thread, sight, stat.state, SPROF_END_DENIED, ret);
}

enum peek_outcome sprof_peek_worker(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *ret)
{
	struct sprof_proc_stat stat;
	enum peek_outcome outcome;

	if (!run->world->read_stat(thread, &stat) || (stat.flags & SPROF_PF_EXITING) ||
		!sprof_proc_is_worker(&stat))
		return PEEK_NOTHING;
	outcome = observe_without_stack(run, thread, sight, stat.state, SPROF_END_ROOT, ret);
	if (outcome != PEEK_AWAKE)
		return outcome;
	observe_without_call(run, thread, sight, SPROF_END_ROOT, ret);
	ret->state = SPROF_STATE_SYS;
	return PEEK_TAKEN;
}
