/*
 * Dispatches stops and ends: each stop gets the ptrace request that it needs. events.c reads the
 * kernel's reports. Does not know why a stop was requested.
 */
#include "attach/dispatch.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/births.h"
#include "attach/breakpoints/breakpoints.h"
#include "attach/breakpoints/signals.h"
#include "attach/calls/mend.h"
#include "attach/calls/stop.h"
#include "attach/denial/lost-rights.h"
#include "attach/first-process.h"
#include "attach/leave.h"
#include "attach/regs/regs.h"
#include "attach/stop.h"
#include "attach/tracers/watch.h"
#include "base/clock.h"
#include "base/proc-status.h"

/*
 * When a thread other than the leader executes a program, it continues under the leader's id, and
 * the leader disappears without a report (ptrace(2), "execve(2) under ptrace"). Swaps the two, so
 * that the continuing thread keeps its figures. Returns the one that has ended, or NULL.
 */
static struct sprof_thread *exec_swap(struct sprof_target *target, struct sprof_thread *leader)
{
	struct sprof_thread *former;
	unsigned long former_tid;

	if (ptrace(PTRACE_GETEVENTMSG, leader->tid, 0, &former_tid) ||
		(pid_t)former_tid == leader->tid)
		return NULL;
	former = sprof_target_find_of(target, leader->process, (pid_t)former_tid);
	if (!former)
		return NULL;
	sprof_target_succeed(target, former, leader);
	former->phase = SPROF_THREAD_STOPPED;
	leader->phase = SPROF_THREAD_RUNNING; /* gone: nothing to reap */
	return leader;
}

/* Resumes the thread, or leaves that to the caller, which requested it. */
static void go_on(struct sprof_target *target, struct sprof_thread *thread, enum sprof_hold reason)
{
	const struct sprof_event event = {
		.kind = SPROF_EVENT_HELD, .thread = thread, .held = reason};

	thread->phase = SPROF_THREAD_STOPPED;
	if (target->options.holds)
		sprof_event_queue_put_whole(&target->events, &event);
	else
		sprof_thread_resume(thread);
}

static void put_end(struct sprof_target *target, struct sprof_thread *thread, pid_t former_tid)
{
	sprof_event_queue_put_now(&target->events,
		(struct sprof_event){
			.kind = SPROF_EVENT_ENDED, .thread = thread, .former_tid = former_tid});
}

static void on_exec(struct sprof_target *target, struct sprof_thread *thread)
{
	const pid_t tid = thread->tid;
	struct sprof_thread *ended = exec_swap(target, thread);
	struct sprof_thread *runner =
		ended ? sprof_target_find(target, thread->process->pid) : thread;

	if (ended)
		put_end(target, ended, tid);
	sprof_thread_close_files(runner);
	sprof_process_keep_maps(runner->process);
	sprof_process_forget_maps(runner->process);
	sprof_breakpoints_forget(runner->process);
	sprof_trap_signals_exec(runner);
	runner->passing = runner->put_off.address = 0;
	runner->remainder = (struct sprof_remainder){0};
	sprof_process_open_files(runner->process);
	runner->superseded = false;
	runner->thread_pointer = 0;
	runner->process->tracing = SPROF_PROCESS_TRACES_UNKNOWN;
	/* Check during the stop: a program may give up its rights with its first call. */
	sprof_target_check_rights(target, runner->process->pid);
	sprof_watch_end(runner);
	sprof_watch_program(runner);
	if (sprof_target_leaves_narrow(target, runner))
		return;
	if (runner->leaving) {
		sprof_target_leave(target, runner);
		return;
	}
	if (target->options.modules)
		(void)!sprof_process_read_maps(runner->process, target->options.modules);
	runner->process->executed_ns = sprof_clock_now_ns();
	sprof_event_queue_put_now(&target->events,
		(struct sprof_event){.kind = SPROF_EVENT_EXEC,
			.thread = runner,
			.former_tid = ended ? ended->tid : tid});
	go_on(target, runner, SPROF_HELD_EXEC);
}

static void repair(struct sprof_thread *thread, bool timed_too)
{
	struct sprof_regs regs;

	(void)!sprof_thread_mend(thread, timed_too, &regs);
}

/*
 * Some kernels show a call's first argument only here (attach/regs/aarch64.c). A call interrupted
 * by sprof's next interrupt has only just begun.
 */
static void repair_at_end_of_call(struct sprof_thread *thread)
{
	struct sprof_call_state state;

	if (!sprof_regs_kernel_restarts() && sprof_thread_read_call(thread, &state) &&
		state.stop == SPROF_CALL_EXIT && state.result == -EINTR)
		repair(thread, thread->interrupt_again);
}

/* Read at this stop because the thread may never be stopped for a sample. A runtime that starts
 * threads has set the pointer by now. */
static void note_thread_pointer(struct sprof_thread *thread)
{
	struct sprof_regs regs;

	if (!thread->thread_pointer && sprof_regs_read(thread->tid, &regs))
		thread->thread_pointer = regs.thread_pointer;
}

/* The end of a step is a stop that the caller wants, not a signal of the program. */
static bool ends_step(const struct sprof_thread *thread, struct sprof_stop stop)
{
	siginfo_t info;

	return thread->resumption == SPROF_RESUME_ONE_STEP && stop.kind == SPROF_STOP_SIGNAL &&
		stop.value == SIGTRAP && !ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &info) &&
		sprof_stop_trap(&info) == SPROF_TRAP_STEP;
}

/* The first stop of a thread that was born while we trace. */
static bool is_birth(const struct sprof_thread *thread, struct sprof_stop stop)
{
	return thread->born && thread->stops == 1 && stop.kind == SPROF_STOP_TRAP;
}

static void report_signal(struct sprof_target *target, struct sprof_thread *thread)
{
	struct sprof_event event = {.kind = SPROF_EVENT_DELIVERED, .thread = thread};

	if (!ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &event.info))
		sprof_event_queue_put_now(&target->events, event);
}

/* Prepares how the thread continues after a stop. */
static void prepare(
	struct sprof_target *target, struct sprof_thread *thread, struct sprof_stop stop)
{
	if (stop.kind == SPROF_STOP_SIGNAL && stop.value == SIGPIPE &&
		thread->remainder.drops_sigpipe) {
		thread->remainder.drops_sigpipe = false;
	} else if (stop.kind == SPROF_STOP_SIGNAL) {
		/*
		 * Even a signal that a tracee ignores wakes it (kernel/signal.c, sig_ignored). Its
		 * call then ends with EINTR although no handler runs.
		 */
		thread->signal = stop.value;
		thread->signals++;
		repair(thread, false);
		sprof_trap_signals_deliver(thread);
		if (target->options.tasks)
			report_signal(target, thread);
	} else if (stop.kind == SPROF_STOP_GROUP) {
		thread->group_stop = true;
		if (thread->remainder.is_on)
			repair(thread, false);
	} else if (stop.kind == SPROF_STOP_NEW_TASK) {
		note_thread_pointer(thread);
		sprof_birth_announced(target, thread);
	}
}

static void pass_on(const struct sprof_target *target, struct sprof_thread *thread)
{
	if (target->options.standing)
		sprof_thread_note_standing(thread);
	sprof_thread_resume(thread);
}

static void on_stop(
	struct sprof_target *target, struct sprof_thread *thread, struct sprof_stop stop)
{
	/* Any stop takes the place of a pending interrupt (kernel/signal.c, ptrace_stop). */
	bool wanted = thread->phase == SPROF_THREAD_INTERRUPTED, stepped = ends_step(thread, stop);
	bool passed = stepped && thread->passing;

	/*
	 * An unwanted trap has two possible causes. Either another stop took the place of our
	 * interrupt, and the call has only just begun. Or it is SIGCONT, which wakes a seized
	 * thread even if it was not stopped (kernel/signal.c, prepare_signal); the call may then
	 * have waited for long.
	 */
	if (stop.kind == SPROF_STOP_TRAP && thread->phase == SPROF_THREAD_RUNNING)
		repair(thread, thread->superseded);
	thread->superseded = wanted && stop.kind != SPROF_STOP_TRAP;
	thread->phase = SPROF_THREAD_STOPPED;
	if (stepped)
		sprof_trap_signals_restore(thread);
	if (passed)
		sprof_breakpoint_stepped(thread);
	else if (thread->passing && stop.kind == SPROF_STOP_SIGNAL)
		sprof_breakpoint_put_off(thread);
	if (!stepped)
		prepare(target, thread, stop);
	if (is_birth(thread, stop))
		sprof_trap_signals_born(thread);
	if (thread->held_for)
		thread->interrupt_again = wanted;
	else if (wanted || (stepped && !passed))
		sprof_event_queue_put(&target->events, SPROF_EVENT_STOPPED, thread);
	else if (is_birth(thread, stop))
		go_on(target, thread, SPROF_HELD_BORN);
	else
		pass_on(target, thread);
}

static bool is_breakpoint_trap(pid_t tid)
{
	siginfo_t info;

	return !ptrace(PTRACE_GETSIGINFO, tid, 0, &info) &&
		sprof_stop_trap(&info) == SPROF_TRAP_BREAKPOINT;
}

static bool is_at_breakpoint(
	const struct sprof_thread *thread, struct sprof_stop stop, struct sprof_regs *ret)
{
	const struct sprof_process *process = thread->process;
	uint64_t *pc = &ret->values[SPROF_REG_PC];

	if (!process->breakpoints || stop.kind != SPROF_STOP_SIGNAL || stop.value != SIGTRAP ||
		!sprof_regs_read(thread->tid, ret))
		return false;
	*pc -= SPROF_TRAP_SIZE;
	return sprof_breakpoint_is_certain(process, *pc) ||
		(sprof_breakpoint_is_known(process, *pc) && is_breakpoint_trap(thread->tid));
}

/*
 * If a stop was requested, this is one: the thread is before the breakpoint, and will hit it again.
 */
static void on_breakpoint(
	struct sprof_target *target, struct sprof_thread *thread, const struct sprof_regs *regs)
{
	const struct sprof_event event = {.kind = SPROF_EVENT_HELD,
		.thread = thread,
		.held = SPROF_HELD_BREAKPOINT,
		.regs = *regs};
	const bool wanted = thread->phase == SPROF_THREAD_INTERRUPTED;

	thread->superseded = wanted;
	thread->phase = SPROF_THREAD_STOPPED;
	sprof_trap_signals_restore(thread);
	if (wanted || thread->held_for)
		sprof_regs_move(thread->tid, regs->values[SPROF_REG_PC]);
	if (thread->held_for)
		thread->interrupt_again = wanted;
	else if (wanted)
		sprof_event_queue_put(&target->events, SPROF_EVENT_STOPPED, thread);
	else if (sprof_trap_signals_follow(thread, regs))
		return;
	else if (target->options.holds && !sprof_breakpoint_was_put_off(thread, regs))
		sprof_event_queue_put_whole(&target->events, &event);
	else
		sprof_breakpoint_pass(thread, regs);
}

/* Another tracer must see the program's own registers. */
static void leave_remainder(struct sprof_thread *thread, struct sprof_stop stop)
{
	if (stop.kind == SPROF_STOP_SYSCALL)
		sprof_remainder_step(thread);
	if (thread->remainder.is_on)
		sprof_remainder_end(thread);
}

/* The last stop of a thread that another tracer wants, which must not see our traps. */
static void on_last_stop(
	struct sprof_target *target, struct sprof_thread *thread, struct sprof_stop stop)
{
	struct sprof_regs regs;

	if (stop.kind != SPROF_STOP_SIGNAL && thread->process->breakpoints &&
		sprof_thread_has_pending_trap(thread)) {
		sprof_thread_resume_to_signal(thread);
		return;
	}
	const bool stepped = thread->passing && ends_step(thread, stop);
	const bool is_trap = !stepped && is_at_breakpoint(thread, stop, &regs);

	if (stepped || is_trap)
		sprof_trap_signals_restore(thread);
	if (is_trap)
		sprof_regs_move(thread->tid, regs.values[SPROF_REG_PC]);
	else if (stop.kind == SPROF_STOP_SIGNAL && !stepped)
		thread->signal = stop.value;
	else if (stop.kind == SPROF_STOP_NEW_TASK)
		sprof_birth_announced(target, thread);
	if (thread->remainder.is_on)
		leave_remainder(thread, stop);
	else if (stop.kind != SPROF_STOP_SYSCALL)
		repair(thread, false);
	sprof_target_leave(target, thread);
}

static void let_die(struct sprof_target *target, struct sprof_thread *thread, int signal)
{
	thread->signal = signal;
	thread->signals++;
	if (target->options.tasks)
		report_signal(target, thread);
	sprof_target_leave(target, thread);
}

/* This stop, like any other, consumes a pending interrupt, so send the interrupt again. */
static void on_call(struct sprof_target *target, struct sprof_thread *thread,
	const struct sprof_call_state *state)
{
	struct sprof_event event = {.kind = SPROF_EVENT_CALL, .thread = thread, .call = *state};
	bool wanted = thread->phase == SPROF_THREAD_INTERRUPTED;

	thread->phase = SPROF_THREAD_STOPPED;
	if (thread->remainder.is_on) {
		thread->interrupt_again = wanted;
		sprof_remainder_step(thread);
		sprof_thread_resume_call(thread, thread->resumption);
		return;
	}
	switch (thread->watched ? sprof_watch_call(target, thread) : SPROF_WATCHED_GOES_ON) {
	case SPROF_WATCHED_LEAVES:
		sprof_target_leave(target, thread);
		break;
	case SPROF_WATCHED_HELD:
		thread->interrupt_again = wanted;
		break;
	case SPROF_WATCHED_GOES_ON:
		thread->interrupt_again = wanted;
		if (target->options.holds && thread->resumption == SPROF_RESUME_TO_CALL) {
			event.kind = SPROF_EVENT_HELD;
			event.held = SPROF_HELD_CALL;
		}
		if (target->options.calls || event.kind == SPROF_EVENT_HELD) {
			sprof_event_queue_put_whole(&target->events, &event);
		} else {
			repair_at_end_of_call(thread);
			sprof_thread_resume_call(thread, thread->resumption);
		}
		break;
	}
}

void sprof_dispatch_call(struct sprof_target *target, struct sprof_thread *thread,
	const struct sprof_call_state *state)
{
	thread->stops++;
	on_call(target, thread, state);
}

void sprof_dispatch_stop(struct sprof_target *target, const siginfo_t *info)
{
	/* At a tracee's stop, si_status holds the same WSTOPSIG and event as a wait status. */
	struct sprof_stop stop = sprof_stop_classify(info->si_status << 8 | 0x7f);
	struct sprof_thread *thread = sprof_birth_adopt(target, info->si_pid);
	struct sprof_regs regs;

	if (!thread) {
		ptrace(PTRACE_DETACH, info->si_pid, 0,
			stop.kind == SPROF_STOP_SIGNAL ? stop.value : 0);
		sprof_watch_let_go(target, info->si_pid);
		return;
	}
	thread->stops++;
	if (stop.kind == SPROF_STOP_EXEC)
		on_exec(target, thread);
	else if (thread->leaving)
		on_last_stop(target, thread, stop);
	else if (stop.kind == SPROF_STOP_SYSCALL)
		on_call(target, thread, &(struct sprof_call_state){.stop = SPROF_CALL_NONE});
	else if (is_at_breakpoint(thread, stop, &regs))
		on_breakpoint(target, thread, &regs);
	else if (!ends_step(thread, stop) && sprof_first_process_must_leave(thread, stop))
		let_die(target, thread, stop.value);
	else
		on_stop(target, thread, stop);
}

/*
 * The peak of a zombie or of a child that it has reaped, whichever is larger (kernel/exit.c,
 * wait_task_zombie). getrusage(2) counts in kB. The C library's waitid() does not have the system
 * call's last argument.
 */
static uint64_t largest_peak_of(pid_t pid)
{
	struct rusage usage = {0};
	siginfo_t info;

	if (syscall(SYS_waitid, P_PID, pid, &info, WEXITED | WNOWAIT | WNOHANG | __WALL, &usage))
		return 0;
	return (uint64_t)usage.ru_maxrss * 1024;
}

/* The parent's peak is read later, when this child has been reaped. */
static void note_child_peak(struct sprof_target *target, pid_t child, uint64_t bytes)
{
	char status[SPROF_PROC_STATUS_MAX];
	struct sprof_thread *parent;
	long pid;

	if (!sprof_proc_status_read_number(child, "PPid", &pid))
		return;
	parent = sprof_target_find(target, (pid_t)pid);
	if (!parent)
		return;
	if (sprof_proc_status_read((pid_t)pid, 0, status, sizeof(status)) > 0)
		sprof_process_note_peak(parent->process, status);
	if (parent->process->child_peak_bytes < bytes)
		parent->process->child_peak_bytes = bytes;
}

/* The kernel's figure is its own if it is beyond that of each child. */
static void take_peak(struct sprof_target *target, struct sprof_thread *leader)
{
	const struct sprof_process *process = leader->process;
	const uint64_t bytes = largest_peak_of(leader->tid);
	struct sprof_proc_stat stat;
	const bool has_unknown_children = !target->options.follow_children &&
		sprof_thread_read_stat(leader, &stat) && stat.reaped_faults;

	leader->max_rss_bytes = bytes > process->child_peak_bytes && !has_unknown_children
		? bytes
		: process->peak_bytes;
	note_child_peak(target, leader->tid, bytes);
}

void sprof_dispatch_reap(struct sprof_target *target, pid_t tid)
{
	int status;
	pid_t reaped;

	do
		reaped = waitpid(tid, &status, __WALL);
	while (reaped < 0 && errno == EINTR);
	/* Later, its id may be another process's. */
	if (reaped != tid || tid != target->pid || target->ended)
		return;
	target->ended = true;
	target->wait_status = status;
}

void sprof_dispatch_end(struct sprof_target *target, const siginfo_t *info)
{
	struct sprof_thread *thread = sprof_target_find_reported(target, info->si_pid);

	if (!thread) {
		sprof_dispatch_reap(target, info->si_pid);
		sprof_watch_let_go(target, info->si_pid);
		return;
	}
	thread->phase = SPROF_THREAD_ENDED;
	if (thread->tid == thread->process->pid)
		take_peak(target, thread);
	thread->exit_code = info->si_status + (info->si_code == CLD_EXITED ? 0 : 128);
	put_end(target, thread, thread->tid);
}
