/*
 * Watches for calls of ptrace(2). Does not see those that come later than a debugger's first ones, those of
 * another thread than the one that started the process, and those of programs that don't import
 * ptrace() (static ones, those of Go): there the call fails with EPERM, as for any tracee.
 */
#include "attach/ptrace-watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/ptrace-user.h"

/* There are two stops per call. Debuggers close files and set up a terminal between fork and exec. */
enum { CREATOR_STOPS = 512, CHILD_STOPS = 1024 };

static bool may_trace(struct sprof_process *process)
{
	if (process->tracing == SPROF_PROCESS_TRACES_UNKNOWN)
		process->tracing = sprof_ptrace_user_process(process->pid) ? SPROF_PROCESS_TRACES_OTHERS
									   : SPROF_PROCESS_TRACES_NOBODY;
	return process->tracing == SPROF_PROCESS_TRACES_OTHERS;
}

void sprof_watch_child(struct sprof_process *parent, struct sprof_thread *child)
{
	if (parent && parent != child->process && may_trace(parent))
		child->watched = CHILD_STOPS;
}

void sprof_watch_creator(struct sprof_thread *creator)
{
	if (may_trace(creator->process))
		creator->watched = CREATOR_STOPS;
}

static bool read_namespace(const char *process, char *ret, size_t size)
{
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%s/ns/pid", process);
	length = readlink(path, ret, size - 1);
	if (length < 0)
		return false;
	ret[length] = '\0';
	return true;
}

static bool share_namespace(const char *one, const char *other)
{
	char first[64], second[64];

	return read_namespace(one, first, sizeof(first)) &&
		read_namespace(other, second, sizeof(second)) && !strcmp(first, second);
}

/* The id of a thread in its own pid namespace, the last of its line NSpid; 0: none. */
static pid_t innermost_id(pid_t tid)
{
	char path[64], text[8192], numbers[256];
	const char *last;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (sprof_proc_read_path(path, text, sizeof(text)) < 0 ||
		!sprof_proc_status_field(text, "NSpid", numbers, sizeof(numbers)))
		return 0;
	last = strrchr(numbers, '\t');
	return (pid_t)atoi(last ? last + 1 : numbers);
}

/* The thread that the caller means by this number, which is one of the caller's pid namespace. */
static struct sprof_thread *find_meant(
	const struct sprof_target *target, const struct sprof_thread *caller, pid_t number)
{
	char name[16], other[16];

	snprintf(name, sizeof(name), "%d", caller->tid);
	if (share_namespace(name, "self"))
		return sprof_target_find(target, number);
	for (size_t i = 0; i < target->thread_count; i++) {
		snprintf(other, sizeof(other), "%d", target->threads[i]->tid);
		if (innermost_id(target->threads[i]->tid) == number && share_namespace(name, other))
			return target->threads[i];
	}
	return NULL;
}

/* A thread that waits for its vfork child stops when that one lets it; if that is the caller, never. */
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
	sprof_target_note_name(pid, target->tracer, sizeof(target->tracer));
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
	char path[64], text[8192];
	long parent;

	snprintf(path, sizeof(path), "/proc/%d/status", caller->tid);
	if (sprof_proc_read_path(path, text, sizeof(text)) > 0 &&
		sprof_proc_status_number(text, "PPid", &parent))
		note_tracer(target, (pid_t)parent);
	return SPROF_WATCHED_LEAVES;
}

enum sprof_watched sprof_watch_call(struct sprof_target *target, struct sprof_thread *thread)
{
	struct __ptrace_syscall_info call;

	if (thread->watched)
		thread->watched--;
	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->tid, sizeof(call), &call) <= 0 ||
		call.op != PTRACE_SYSCALL_INFO_ENTRY || call.entry.nr != SYS_ptrace)
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
	if (thread->phase != SPROF_THREAD_STOPPED)
		return;
	if (again)
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
