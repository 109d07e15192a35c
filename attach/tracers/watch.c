/*
 * Watches for calls of ptrace(2), and for the start of a leak check. Does not see calls after a
 * debugger's first ones, calls of another thread than the one that created the process, and calls
 * of programs that don't import ptrace() (static and Go programs). These calls fail with EPERM, as
 * for any tracee.
 */
#include "attach/tracers/watch.h"

#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/breakpoints/breakpoints.h"
#include "attach/calls/restart.h"
#include "attach/calls/stop.h"
#include "attach/leave.h"
#include "attach/tracers/program.h"
#include "attach/stop.h"

/* There are two stops per call. Between fork and exec, debuggers close files and set up a
 * terminal. */
enum { CREATOR_STOPS = 512, CHILD_STOPS = 1024 };

static const unsigned always = UINT_MAX;

static bool may_trace(struct sprof_process *process)
{
	if (process->tracing == SPROF_PROCESS_TRACES_UNKNOWN)
		process->tracing = sprof_program_may_trace(process->pid)
			? SPROF_PROCESS_TRACES_OTHERS
			: SPROF_PROCESS_TRACES_NOBODY;
	return process->tracing == SPROF_PROCESS_TRACES_OTHERS;
}

/* With a filter of ours, a thread can't be detached: its selected calls would fail. */
static void watch(struct sprof_thread *thread, unsigned stops)
{
	if (thread->filtered || thread->watched == always)
		return;
	thread->watched = stops;
	thread->resumption = SPROF_RESUME_TO_CALL;
}

void sprof_watch_end(struct sprof_thread *thread)
{
	if (!thread->watched)
		return;
	thread->watched = 0;
	thread->resumption = thread->habit;
}

void sprof_watch_child(struct sprof_process *parent, struct sprof_thread *child)
{
	if (parent && parent != child->process && may_trace(parent))
		watch(child, CHILD_STOPS);
}

void sprof_watch_program(struct sprof_thread *thread)
{
	struct sprof_process *process = thread->process;

	process->checks_leaks = sprof_program_checks_leaks(process->pid, false);
	if (process->checks_leaks)
		watch(thread, always);
}

void sprof_watch_newborn(struct sprof_process *parent, struct sprof_thread *thread)
{
	if (parent && parent != thread->process)
		thread->process->checks_leaks = parent->checks_leaks;
	if (thread->process->checks_leaks)
		watch(thread, always);
}

/* Whether the call continues after a stop as if there had been none. A worker's does not. */
static bool may_be_stopped(struct sprof_thread *thread)
{
	struct sprof_proc_syscall call;
	struct sprof_proc_stat stat;

	return thread->phase == SPROF_THREAD_RUNNING && sprof_thread_read_syscall(thread, &call) &&
		sprof_thread_read_stat(thread, &stat) && !sprof_proc_is_worker(&stat) &&
		(call.kind == SPROF_PROC_SYSCALL_RUNNING ||
			(call.kind == SPROF_PROC_SYSCALL_INSIDE &&
				sprof_restart_is_exact(call.number, call.arguments)));
}

void sprof_watch_running(struct sprof_target *target, pid_t pid)
{
	if (!sprof_program_checks_leaks(pid, true))
		return;
	for (size_t i = 0; i < target->thread_count; i++) {
		struct sprof_thread *thread = target->threads[i];

		if (thread->process->pid != pid)
			continue;
		thread->process->checks_leaks = true;
		watch(thread, always);
		if (may_be_stopped(thread))
			(void)!sprof_thread_interrupt(thread);
	}
}

void sprof_watch_creator(struct sprof_thread *creator)
{
	if (may_trace(creator->process))
		watch(creator, CREATOR_STOPS);
}

static bool read_namespace(pid_t tid, char *ret, size_t size)
{
	return sprof_proc_read_link(sprof_proc_path(tid, 0, "ns/pid").text, ret, size);
}

static bool share_namespace(pid_t one, pid_t other)
{
	char first[64], second[64];

	return read_namespace(one, first, sizeof(first)) &&
		read_namespace(other, second, sizeof(second)) && !strcmp(first, second);
}

/* The id of a thread in its own pid namespace; 0: none. */
static pid_t innermost_id(pid_t tid)
{
	char text[SPROF_PROC_STATUS_MAX];

	if (sprof_proc_status_read(tid, 0, text, sizeof(text)) < 0)
		return 0;
	return sprof_proc_status_inner_id(text, "NSpid");
}

/* The thread that the caller means by this number, an id in the caller's pid namespace. */
static struct sprof_thread *find_meant(
	const struct sprof_target *target, const struct sprof_thread *caller, pid_t number)
{
	if (share_namespace(caller->tid, SPROF_PROC_SELF))
		return sprof_target_find(target, number);
	for (size_t i = 0; i < target->thread_count; i++) {
		if (innermost_id(target->threads[i]->tid) == number &&
			share_namespace(caller->tid, target->threads[i]->tid))
			return target->threads[i];
	}
	return NULL;
}

/* A thread that waits for its vfork child stops only after the child releases it. If the child is
 * the caller, it never stops. */
static bool can_stop(struct sprof_thread *thread)
{
	struct sprof_proc_stat stat;

	return thread->phase != SPROF_THREAD_STOPPED && sprof_thread_read_stat(thread, &stat) &&
		stat.state != 'D';
}

static bool ask_to_leave(struct sprof_thread *thread)
{
	if (!can_stop(thread))
		return false;
	if (thread->phase == SPROF_THREAD_RUNNING || thread->phase == SPROF_THREAD_LISTENING)
		thread->leaving = sprof_thread_interrupt(thread);
	else
		thread->leaving = true;
	return thread->leaving;
}

static void note_tracer(struct sprof_target *target, pid_t pid)
{
	sprof_target_note_name(pid, target->programs.tracer, sizeof(target->programs.tracer));
}

static enum sprof_watched trace_other(
	struct sprof_target *target, struct sprof_thread *caller, pid_t number)
{
	struct sprof_thread *other = find_meant(target, caller, number);

	if (!other || other == caller || !ask_to_leave(other))
		return SPROF_WATCHED_GOES_ON;
	note_tracer(target, caller->process->pid);
	sprof_watch_hold(target, caller, other->tid);
	return SPROF_WATCHED_HELD;
}

static enum sprof_watched be_traced(struct sprof_target *target, struct sprof_thread *caller)
{
	long parent;

	if (sprof_proc_status_read_number(caller->tid, "PPid", &parent))
		note_tracer(target, (pid_t)parent);
	return SPROF_WATCHED_LEAVES;
}

/* It was waiting for its child, which was detached. */
static void take_back(struct sprof_thread *thread)
{
	switch (sprof_thread_left_call(thread)) {
#ifdef SYS_vfork
	case SYS_vfork:
#endif
	case SYS_clone:
	case SYS_clone3:
		sprof_breakpoints_take_back(thread->process);
		break;
	default:
		break;
	}
}

/* Threads that stand still for their sample leave at their next stop (resume.c). */
static void ask_sibling_to_leave(struct sprof_thread *thread)
{
	if (thread->phase == SPROF_THREAD_STOPPED)
		thread->leaving = true;
	else if (thread->phase != SPROF_THREAD_ENDED && thread->phase != SPROF_THREAD_LEAVING)
		(void)ask_to_leave(thread);
}

/* Holds the thread for a sibling that is still attached. Returns false if there is none. */
static bool is_held_for_sibling(struct sprof_target *target, struct sprof_thread *thread)
{
	for (size_t i = 0; i < target->thread_count; i++) {
		struct sprof_thread *other = target->threads[i];

		if (other == thread || other->process != thread->process ||
			(!other->leaving && other->phase != SPROF_THREAD_LEAVING))
			continue;
		sprof_watch_hold(target, thread, other->tid);
		return true;
	}
	return false;
}

static enum sprof_watched let_process_go(struct sprof_target *target, struct sprof_thread *thread)
{
	sprof_target_note_name(thread->process->pid, target->programs.leak_checker,
		sizeof(target->programs.leak_checker));
	sprof_breakpoints_remove(thread->process);
	for (size_t i = 0; i < target->thread_count; i++) {
		if (target->threads[i] != thread && target->threads[i]->process == thread->process)
			ask_sibling_to_leave(target->threads[i]);
	}
	thread->lets_go = is_held_for_sibling(target, thread);
	return thread->lets_go ? SPROF_WATCHED_HELD : SPROF_WATCHED_LEAVES;
}

/* A child that shares the memory, is not a thread, and is hidden from tracers. */
static bool starts_tracer(const struct __ptrace_syscall_info *call)
{
	const uint64_t wanted = CLONE_UNTRACED | CLONE_VM;

	return call->entry.nr == SYS_clone &&
		(call->entry.args[0] & (wanted | CLONE_THREAD)) == wanted;
}

enum sprof_watched sprof_watch_call(struct sprof_target *target, struct sprof_thread *thread)
{
	struct __ptrace_syscall_info call;

	if (thread->watched == 1)
		sprof_watch_end(thread);
	else if (thread->watched && thread->watched != always)
		thread->watched--;
	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->tid, sizeof(call), &call) <= 0)
		return SPROF_WATCHED_GOES_ON;
	if (sprof_stop_call(&call) == SPROF_CALL_EXIT &&
		sprof_breakpoints_are_lent(thread->process))
		take_back(thread);
	if (sprof_stop_call(&call) != SPROF_CALL_ENTRY)
		return SPROF_WATCHED_GOES_ON;
	if (starts_tracer(&call) && thread->process->checks_leaks)
		return let_process_go(target, thread);
	if (call.entry.nr != SYS_ptrace)
		return SPROF_WATCHED_GOES_ON;
	if (call.entry.args[0] == PTRACE_TRACEME)
		return be_traced(target, thread);
	if (call.entry.args[0] == PTRACE_SEIZE || call.entry.args[0] == PTRACE_ATTACH)
		return trace_other(target, thread, (pid_t)call.entry.args[1]);
	return SPROF_WATCHED_GOES_ON;
}

void sprof_watch_hold(struct sprof_target *target, struct sprof_thread *thread, pid_t other)
{
	thread->held_for = other;
	target->held_count++;
}

static void go_on(struct sprof_target *target, struct sprof_thread *thread)
{
	bool again = thread->interrupt_again;

	thread->held_for = 0;
	thread->interrupt_again = false;
	target->held_count--;
	if (thread->phase != SPROF_THREAD_STOPPED ||
		(thread->lets_go && is_held_for_sibling(target, thread)))
		return;
	if (thread->lets_go)
		sprof_target_leave(target, thread);
	else if (again)
		sprof_thread_resume_to_stop(thread);
	else
		sprof_thread_resume(thread);
}

void sprof_watch_let_go(struct sprof_target *target, pid_t gone)
{
	for (size_t i = 0; target->held_count && i < target->thread_count; i++) {
		if (target->threads[i]->held_for == gone)
			go_on(target, target->threads[i]);
	}
}
