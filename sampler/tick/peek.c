/*
 * Peeking: the kernel shows the sp and pc of a sleeper's system call. Its stack is copied from
 * outside; the copy is good if the count of its time slices is the same afterwards. A sleeper is
 * never stopped: if its stack can't be walked to the root with what a peek knows, the sample ends
 * there, with the reason.
 *
 * Some sleepers have no stack that can be read. A process may have made itself unreadable
 * (PR_SET_DUMPABLE) for an ordinary user: the kernel shows that a thread sleeps, but not where. And
 * the kernel's own workers in a process, such as io_uring's, have no user code. Their samples have an
 * empty stack with that reason. Does not handle running threads, except for workers: they are sampled as
 * usual, through the files that attach/thread.c keeps open.
 */
#include "sampler/tick/peek.h"

#include "blocked/kernel-stack-read.h"
#include "sampler/sampled.h"
#include "sampler/stack/interpreted.h"
#include "sampler/stack/mappings.h"

void sprof_peek_finish(struct peeking *peeking)
{
	sprof_copy_buffer_finish(&peeking->buffer);
}

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

static enum sprof_state state_by(const struct sprof_thread *thread, char letter)
{
	if (thread->phase == SPROF_THREAD_LISTENING || letter == 'T')
		return SPROF_STATE_STOPPED;
	return letter == 'D' ? SPROF_STATE_DISK : SPROF_STATE_SLEEP;
}

static enum sprof_state state_of(
	const struct sprof_thread *thread, enum sprof_proc_syscall_kind kind, char letter)
{
	return kind == SPROF_PROC_SYSCALL_OUTSIDE && is_frozen(thread) ? SPROF_STATE_STOPPED
								       : state_by(thread, letter);
}

/*
 * Sets the registers that a peek knows. In vfork(3), the return address is in an argument's
 * register, and not on the stack.
 */
static void set_regs(struct sprof_regs *regs, const struct sprof_proc_syscall *call)
{
	*regs = (struct sprof_regs){.system_call = call->number, .coming_call = -1};
	sprof_regs_set(regs, SPROF_REG_PC, call->pc);
	sprof_regs_set(regs, SPROF_REG_SP, call->sp);
	if (call->kind == SPROF_PROC_SYSCALL_INSIDE)
		sprof_regs_set_arguments(regs, call->arguments);
}

/* The thread may never have stopped so far, and have been born after the mappings were read. */
static void find_thread(const struct sprof_world *world, struct sprof_thread *thread, uint64_t sp)
{
	struct sampled *sampled = thread->sampling;
	struct sprof_goroutine_reading reading;
	struct copying copying;

	if (thread->thread_pointer || sampled->sought_thread)
		return;
	sampled->sought_thread = true;
	if (!sprof_maps_find(&thread->process->maps, sp))
		sprof_mappings_read(world, thread->process);
	copying = sprof_copying_of(world, thread, NULL);
	reading = sprof_copying_goroutine(&copying);
	thread->thread_pointer = sprof_goroutine_find_thread(
		&reading, &thread->process->maps, sp, thread->tid == thread->process->pid);
}

/* Returns false if the process has no memory any more. */
static bool copy(struct peeking *peeking, const struct run *run, struct sprof_thread *thread)
{
	const struct copying copying = sprof_copying_of(run->world, thread, &peeking->buffer);

	return sprof_copy_stack(&copying, NULL, &peeking->snapshot);
}

/* Prepares the copy; how depends on the program. Returns false if out of memory. */
static bool prepare(struct peeking *peeking, const struct run *run, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call)
{
	const struct sampled_process *process = thread->process->sampling;
	const struct sampled *sampled = thread->sampling;

	sprof_mappings_begin(run->world, thread->process);
	if (process->mappings.go)
		find_thread(run->world, thread, call->sp);
	sprof_copy_plan_expect(thread);
	set_regs(&peeking->snapshot.regs, call);
	return sprof_interpreted_prepare(run->world, thread, &peeking->buffer) &&
		sprof_copy_reserve(&peeking->buffer, &sampled->copy);
}

/*
 * Whether it runs by now: it returns from a stop or a page fault; or there is no schedstat, and its
 * counts move late.
 */
static bool runs_by_now(const struct run *run, enum sprof_proc_syscall_kind kind,
	const struct sprof_proc_stat *stat)
{
	return stat->state == 'R' &&
		(run->quality->schedstat_missing || kind == SPROF_PROC_SYSCALL_OUTSIDE);
}

/* Whether the thread has stood still since it was seen; and its present state. */
static bool is_still(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct sprof_proc_stat *ret)
{
	const struct sprof_world *world = run->world;
	struct sprof_proc_schedstat after;

	return world->read_stat(world->data, thread, ret) &&
		world->read_schedstat(world->data, thread, &after) &&
		same_schedstat(&sight->schedstat, &after) &&
		!runs_by_now(run, sight->call.kind, ret);
}

/*
 * The thread is being woken after a stop or a page fault, on a CPU that has not noticed yet
 * (kernel/sched/core.c, ttwu_queue_wakelist): it is ready, not blocked.
 */
static bool is_ready(
	const struct run *run, struct sprof_thread *thread, const struct peek_sight *sight)
{
	struct sprof_proc_stat stat;

	return sight->call.kind == SPROF_PROC_SYSCALL_OUTSIDE &&
		run->world->read_stat(run->world->data, thread, &stat) && stat.state == 'R';
}

/*
 * Whether a thread with that state in /proc/PID/stat stands in an uncollected stop of ours, also at
 * a birth or a signal: that is not the thread's own doing.
 */
static bool is_in_stop(const struct sprof_thread *thread, char letter)
{
	return letter == 't' && thread->phase != SPROF_THREAD_LISTENING;
}

/* The stop that we asked for has just come: it will give all registers. */
static bool is_coming(const struct sprof_thread *thread)
{
	return thread->phase == SPROF_THREAD_INTERRUPTED;
}

/*
 * If there is only one tick, it is stopped once it runs; but not in a call, which a stop would
 * break off.
 */
static bool can_be_stopped(const struct sprof_thread *thread, const struct peek_sight *sight)
{
	return sight->call.kind == SPROF_PROC_SYSCALL_OUTSIDE &&
		thread->phase == SPROF_THREAD_RUNNING;
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
		.sleeps_on = !run->quality->schedstat_missing,
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
	if (!run->options->once || is_coming(thread))
		return PEEK_IN_STOP;
	return can_be_stopped(thread, sight) ? PEEK_AWAKE : PEEK_TAKEN;
}

/* If only running threads are wanted, knowing that it sleeps is enough. */
static enum peek_outcome look_only(
	const struct run *run, struct sprof_thread *thread, const struct peek_sight *sight)
{
	struct sprof_proc_stat stat;

	return is_still(run, thread, sight, &stat) ? outcome_of(run, thread, sight, stat.state)
						   : PEEK_AWAKE;
}

enum peek_outcome sprof_peek(struct peeking *peeking, const struct run *run,
	struct sprof_thread *thread, const struct peek_sight *sight, struct observation *ret)
{
	struct sprof_proc_stat stat;
	enum peek_outcome outcome;

	if (is_ready(run, thread, sight))
		return PEEK_AWAKE;
	observe(run, thread, sight, ret);
	if (run->options->mode == SPROF_MODE_CPU)
		return look_only(run, thread, sight);
	if (!prepare(peeking, run, thread, &sight->call))
		return PEEK_NO_MEMORY;
	if (!copy(peeking, run, thread) || !is_still(run, thread, sight, &stat))
		return PEEK_AWAKE;
	outcome = outcome_of(run, thread, sight, stat.state);
	if (outcome != PEEK_TAKEN)
		return outcome;
	ret->snapshot = &peeking->snapshot;
	ret->state = state_of(thread, sight->call.kind, stat.state);
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
	const struct sprof_world *world = run->world;
	struct sprof_proc_stat stat;

	if (!world->read_stat(world->data, thread, &stat))
		return PEEK_NOTHING;
	return observe_without_stack(run, thread, sight, stat.state, SPROF_END_DENIED, ret);
}

enum peek_outcome sprof_peek_worker(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *ret)
{
	const struct sprof_world *world = run->world;
	struct sprof_proc_stat stat;
	enum peek_outcome outcome;

	if (!world->read_stat(world->data, thread, &stat) || (stat.flags & SPROF_PF_EXITING) ||
		!sprof_proc_is_worker(&stat))
		return PEEK_NOTHING;
	outcome = observe_without_stack(run, thread, sight, stat.state, SPROF_END_ROOT, ret);
	if (outcome != PEEK_AWAKE)
		return outcome;
	observe_without_call(run, thread, sight, SPROF_END_ROOT, ret);
	ret->state = SPROF_STATE_SYS;
	ret->sleeps_on = false;
	return PEEK_TAKEN;
}
