/*
 * Waiting for the traced threads, and the dispatch of their stops and ends. Knows which ptrace request
 * each stop wants; refuses to know why somebody wants a thread stopped.
 */
#include "attach/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "attach/lost-rights.h"
#include "attach/ptrace-watch.h"
#include "attach/regs.h"
#include "attach/restart.h"
#include "attach/stop.h"
#include "attach/target-internal.h"
#include "attach/word-size.h"
#include "base/clock.h"

/*
 * The process that a thread belongs to, and that one's parent. False: it is gone, or we have reaped it
 * already and it is a zombie for its parent, who stands still to announce it.
 */
static bool read_family(pid_t tid, long *ret_pid, long *ret_parent)
{
	char path[64], text[4096];
	long tracer;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	return sprof_proc_read_path(path, text, sizeof(text)) >= 0 &&
		sprof_proc_status_number(text, "TracerPid", &tracer) && tracer == gettid() &&
		sprof_proc_status_number(text, "Tgid", ret_pid) &&
		sprof_proc_status_number(text, "PPid", ret_parent);
}

static struct sprof_process *find_process(const struct sprof_target *target, pid_t pid)
{
	for (size_t i = 0; i < target->process_count; i++) {
		if (target->processes[i]->pid == pid)
			return target->processes[i];
	}
	return NULL;
}

void sprof_target_note_name(pid_t pid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (!name[0] && sprof_proc_read_path(path, name, size) > 0)
		name[strcspn(name, "\n")] = '\0';
}

void sprof_target_check_rights(struct sprof_target *target, pid_t pid)
{
	if (!target->unprivileged[0] && sprof_rights_are_lost(pid))
		sprof_target_note_name(pid, target->unprivileged, sizeof(target->unprivileged));
}

static bool is_followed(const struct sprof_target *target, pid_t pid)
{
	return target->options.follow_children || find_process(target, pid);
}

/*
 * A thread that stopped before its creator's event told us of it, or that was announced by one: the
 * two come in either order. NULL: it is not to be followed, gone, or there is no memory for it.
 */
static struct sprof_thread *adopt(struct sprof_target *target, pid_t tid)
{
	struct sprof_thread *thread = sprof_target_find(target, tid);
	long pid, parent;

	if (thread)
		return thread;
	if (!read_family(tid, &pid, &parent) || !is_followed(target, (pid_t)pid))
		return NULL;
	thread = sprof_target_add(target, (pid_t)pid, tid);
	if (!thread) {
		target->out_of_memory = true;
		return NULL;
	}
	thread->born = true;
	sprof_watch_child(find_process(target, (pid_t)parent), thread);
	return thread;
}

/* A child that is not followed is let go of at its first stop; until then its parent may not trace it. */
static void on_birth(struct sprof_target *target, struct sprof_thread *creator)
{
	struct sprof_thread *child;
	unsigned long message;
	long pid, parent;

	if (ptrace(PTRACE_GETEVENTMSG, creator->tid, 0, &message))
		return;
	child = adopt(target, (pid_t)message);
	if (child && child->process != creator->process)
		sprof_watch_creator(creator);
	else if (!child && read_family((pid_t)message, &pid, &parent))
		sprof_watch_hold(target, creator, (pid_t)message);
}

/*
 * After an exec by a thread that is not the leader, that thread goes on under the leader's id and the
 * leader is gone without a word (ptrace(2), "execve(2) under ptrace"). Swaps the two, so that the
 * thread that goes on keeps its figures; returns the one that has ended, or NULL.
 */
static struct sprof_thread *exec_swap(struct sprof_target *target, struct sprof_thread *leader)
{
	struct sprof_thread *former;
	unsigned long former_tid;

	if (ptrace(PTRACE_GETEVENTMSG, leader->tid, 0, &former_tid) ||
		(pid_t)former_tid == leader->tid)
		return NULL;
	former = sprof_target_find(target, (pid_t)former_tid);
	if (!former)
		return NULL;
	sprof_target_swap(target, former, leader);
	former->phase = SPROF_THREAD_STOPPED;
	leader->phase = SPROF_THREAD_RUNNING; /* gone: nothing to reap */
	return leader;
}

/*
 * The registers tell where the file can't be read (arch/x86/kernel/ptrace.c, user_x86_32_view); the file
 * tells of x32, whose registers are those of 64 bits.
 */
static bool is_narrow(const struct sprof_thread *thread)
{
	struct sprof_regs regs;
	unsigned long message;

	if (sprof_word_size_differs(thread->process->pid))
		return true;
	/* The message can be had as long as the thread is there. */
	return !sprof_regs_read(thread->tid, &regs) &&
		!ptrace(PTRACE_GETEVENTMSG, thread->tid, 0, &message);
}

static struct sprof_event leave(struct sprof_target *target, struct sprof_thread *thread)
{
	target->left |= target->launched && thread->tid == target->pid;
	thread->phase = SPROF_THREAD_LEAVING;
	return (struct sprof_event){.kind = SPROF_EVENT_ENDED, .thread = thread};
}

bool sprof_target_leaves_narrow(struct sprof_target *target, struct sprof_thread *thread)
{
	if (!is_narrow(thread))
		return false;
	sprof_target_note_name(thread->process->pid, target->narrow, sizeof(target->narrow));
	leave(target, thread);
	return true;
}

static struct sprof_event on_exec(struct sprof_target *target, struct sprof_thread *thread)
{
	struct sprof_thread *ended = exec_swap(target, thread);
	struct sprof_thread *runner = ended ? sprof_target_find(target, thread->process->pid) : thread;
	struct sprof_event event = {.kind = SPROF_EVENT_EXEC, .thread = runner};

	sprof_thread_close_files(runner);
	sprof_process_forget_maps(runner->process);
	sprof_process_open_files(runner->process);
	runner->superseded = false;
	runner->thread_pointer = 0;
	runner->process->tracing = SPROF_PROCESS_TRACES_UNKNOWN;
	/* While it stands still: a program may give its rights back with its first call. */
	sprof_target_check_rights(target, runner->process->pid);
	runner->watched = 0;
	if (sprof_target_leaves_narrow(target, runner))
		event.kind = SPROF_EVENT_ENDED;
	else if (runner->leaving)
		event = leave(target, runner);
	else
		sprof_thread_resume(runner);
	if (!ended)
		return event;
	target->next_event = event;
	return (struct sprof_event){.kind = SPROF_EVENT_ENDED, .thread = ended};
}

static void repair(struct sprof_thread *thread, bool timed_too)
{
	struct sprof_regs regs;

	if (!sprof_regs_read(thread->tid, &regs))
		return;
	thread->thread_pointer = regs.thread_pointer;
	sprof_restart_repair(thread->tid, &regs, timed_too);
}

/* It may never be stopped for a sample; a runtime that is about to start threads has set it by now. */
static void note_thread_pointer(struct sprof_thread *thread)
{
	struct sprof_regs regs;

	if (!thread->thread_pointer && sprof_regs_read(thread->tid, &regs))
		thread->thread_pointer = regs.thread_pointer;
}

/*
 * A tracee is woken even by a signal that it ignores (kernel/signal.c, sig_ignored), and its call then
 * ends with EINTR for no handler's sake.
 */
static void on_signal(struct sprof_thread *thread, int signal)
{
	thread->signal = signal;
	repair(thread, false);
}

/* What a stop asks for when the thread goes on; true: the caller wanted it stopped and has it now. */
static bool on_stop(struct sprof_target *target, struct sprof_thread *thread, struct sprof_stop stop)
{
	/* Any stop takes the place of the interrupt that is pending (kernel/signal.c, ptrace_stop). */
	bool wanted = thread->phase == SPROF_THREAD_INTERRUPTED;

	/*
	 * A trap that nobody wanted is an interrupt that another stop was taken for, whose call has only
	 * just begun; or SIGCONT, which wakes a seized thread even if it was not stopped (kernel/signal.c,
	 * prepare_signal), whose call may have waited for long.
	 */
	if (stop.kind == SPROF_STOP_TRAP && thread->phase == SPROF_THREAD_RUNNING)
		repair(thread, thread->superseded);
	thread->superseded = wanted && stop.kind != SPROF_STOP_TRAP;
	thread->phase = SPROF_THREAD_STOPPED;
	if (stop.kind == SPROF_STOP_SIGNAL) {
		on_signal(thread, stop.value);
	} else if (stop.kind == SPROF_STOP_GROUP) {
		thread->group_stop = true;
	} else if (stop.kind == SPROF_STOP_NEW_TASK) {
		note_thread_pointer(thread);
		on_birth(target, thread);
	}
	if (thread->held_for) {
		thread->interrupt_again = wanted;
		return false;
	}
	if (!wanted)
		sprof_thread_resume(thread);
	return wanted;
}

/* The stop of a thread that another tracer wants. */
static struct sprof_event on_last_stop(
	struct sprof_target *target, struct sprof_thread *thread, struct sprof_stop stop)
{
	if (stop.kind == SPROF_STOP_SIGNAL)
		thread->signal = stop.value;
	else if (stop.kind == SPROF_STOP_NEW_TASK)
		on_birth(target, thread);
	if (stop.kind != SPROF_STOP_SYSCALL)
		repair(thread, false);
	return leave(target, thread);
}

static const struct sprof_event nothing = {.kind = SPROF_EVENT_TIMEOUT};

/* An interrupt that is pending is taken by this stop as by any other, so it is sent again. */
static struct sprof_event on_call(struct sprof_target *target, struct sprof_thread *thread)
{
	bool wanted = thread->phase == SPROF_THREAD_INTERRUPTED;

	thread->phase = SPROF_THREAD_STOPPED;
	switch (sprof_watch_call(target, thread)) {
	case SPROF_WATCHED_LEAVES:
		return leave(target, thread);
	case SPROF_WATCHED_HELD:
		thread->interrupt_again = wanted;
		break;
	case SPROF_WATCHED_GOES_ON:
		if (wanted)
			sprof_thread_resume_to_stop(thread);
		else
			sprof_thread_resume(thread);
		break;
	}
	return nothing;
}

static struct sprof_event dispatch_stop(struct sprof_target *target, const siginfo_t *info)
{
	/* si_status of a tracee's stop is what WSTOPSIG and the event are in a wait status. */
	struct sprof_stop stop = sprof_stop_classify(info->si_status << 8 | 0x7f);
	struct sprof_thread *thread = adopt(target, info->si_pid);

	if (!thread) {
		ptrace(PTRACE_DETACH, info->si_pid, 0,
			stop.kind == SPROF_STOP_SIGNAL ? stop.value : 0);
		sprof_watch_let_go(target, info->si_pid);
		return nothing;
	}
	thread->stops++;
	if (stop.kind == SPROF_STOP_EXEC)
		return on_exec(target, thread);
	if (thread->leaving)
		return on_last_stop(target, thread, stop);
	if (stop.kind == SPROF_STOP_SYSCALL)
		return on_call(target, thread);
	if (on_stop(target, thread, stop))
		return (struct sprof_event){.kind = SPROF_EVENT_STOPPED, .thread = thread};
	return nothing;
}

/* As waitpid(2) would have given it. */
static int wait_status_of(const siginfo_t *info)
{
	if (info->si_code == CLD_EXITED)
		return (info->si_status & 0xff) << 8;
	return info->si_status | (info->si_code == CLD_DUMPED ? 0x80 : 0);
}

/*
 * A thread has ended but is not reaped: its last figures can still be read. (So no PTRACE_EVENT_EXIT
 * is asked for: it would stop every thread once more, and before its last work, freeing its memory.)
 */
static struct sprof_event dispatch_end(struct sprof_target *target, const siginfo_t *info)
{
	struct sprof_thread *thread = sprof_target_find(target, info->si_pid);

	/* Once it has ended, its id may be that of another. */
	if (info->si_pid == target->pid && !target->ended) {
		target->ended = true;
		target->wait_status = wait_status_of(info);
	}
	if (!thread) {
		waitpid(info->si_pid, NULL, __WALL);
		sprof_watch_let_go(target, info->si_pid);
		return nothing;
	}
	thread->phase = SPROF_THREAD_ENDED;
	return (struct sprof_event){.kind = SPROF_EVENT_ENDED, .thread = thread};
}

enum report { REPORT_NONE, REPORT_STOP, REPORT_END, REPORT_NO_TRACEES };

/*
 * A stop is looked at and left where it is: what is taken by a wait is gone from the tracee, and if
 * sprof were killed before it lets the thread go on, the signal of the stop would be lost
 * (kernel/exit.c, wait_task_stopped; tests/faults, kill). One that the caller has not let go yet is
 * taken, so that it does not come again; and one at an exec, for before that a thread with a new id
 * can't be asked anything (kernel/ptrace.c, looks_like_a_spurious_pid).
 */
static bool look_at_stop(struct sprof_target *target, pid_t tid, siginfo_t *ret_info)
{
	const int which = WSTOPPED | __WALL | __WNOTHREAD | WNOHANG;
	const struct sprof_thread *thread = sprof_target_find(target, tid);

	ret_info->si_pid = 0;
	if (thread && (thread->phase == SPROF_THREAD_STOPPED ||
		thread->phase == SPROF_THREAD_LEAVING)) {
		waitid(P_PID, (id_t)tid, ret_info, which);
		return false;
	}
	if (waitid(P_PID, (id_t)tid, ret_info, which | WNOWAIT) || !ret_info->si_pid ||
		ret_info->si_code != CLD_TRAPPED)
		return false;
	return ret_info->si_status >> 8 != PTRACE_EVENT_EXEC ||
		!waitid(P_PID, (id_t)tid, ret_info, which);
}

/* No tracee, those are trapped: a process that writes a snapshot, stopped by somebody. Said once is enough. */
static void take_stop_of_child(pid_t pid)
{
	siginfo_t info;

	waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG);
}

/*
 * The next stop or end that the kernel has for us (__WNOTHREAD: not for another thread of sprof). No
 * end is taken: an ended thread's last figures can still be read. The kernel looks through all tracees for
 * each answer, so it is asked only after a SIGCHLD, and first about the one whom that was for; several
 * may have shared one signal.
 */
static enum report next_report(struct sprof_target *target, siginfo_t *ret_info)
{
	pid_t hint = target->hint;

	target->hint = 0;
	if (hint && look_at_stop(target, hint, ret_info))
		return REPORT_STOP;
	while (!target->quiet) {
		ret_info->si_pid = 0;
		if (waitid(P_ALL, 0, ret_info,
			    WSTOPPED | WEXITED | WNOWAIT | __WALL | __WNOTHREAD | WNOHANG))
			return errno == ECHILD ? REPORT_NO_TRACEES : REPORT_NONE;
		if (!ret_info->si_pid)
			target->quiet = true;
		else if (ret_info->si_code == CLD_STOPPED)
			take_stop_of_child(ret_info->si_pid);
		else if (ret_info->si_code != CLD_TRAPPED)
			return REPORT_END;
		else if (look_at_stop(target, ret_info->si_pid, ret_info))
			return REPORT_STOP;
	}
	return REPORT_NONE;
}

/* Sleeps until a signal or the deadline. False: it was SIGCHLD, look for reports again. */
static bool sleep_until(
	struct sprof_target *target, uint64_t deadline_ns, struct sprof_event *ret)
{
	uint64_t now = sprof_clock_now_ns();
	uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
	struct timespec timeout = {
		.tv_sec = (time_t)(left / SPROF_NS_PER_S),
		.tv_nsec = (long)(left % SPROF_NS_PER_S),
	};
	int signal = sigtimedwait(&target->options.control, &ret->info, &timeout);

	if (signal == SIGCHLD) {
		target->quiet = false;
		target->hint = ret->info.si_pid;
		return false;
	}
	if (signal < 0 && errno == EINTR)
		return false;
	ret->kind = signal < 0 ? SPROF_EVENT_TIMEOUT : SPROF_EVENT_SIGNAL;
	return true;
}

struct sprof_event sprof_target_spin(
	struct sprof_target *target, const struct sprof_thread *thread, uint64_t deadline_ns)
{
	struct sprof_event event = nothing;
	pid_t tid = thread->tid;
	siginfo_t info;

	while (event.kind == SPROF_EVENT_TIMEOUT && sprof_clock_now_ns() < deadline_ns) {
		if (look_at_stop(target, tid, &info))
			event = dispatch_stop(target, &info);
	}
	return event;
}

struct sprof_event sprof_target_wait(struct sprof_target *target, uint64_t deadline_ns)
{
	struct sprof_event event = target->next_event;
	siginfo_t info;

	target->next_event = nothing;
	while (event.kind == SPROF_EVENT_TIMEOUT) {
		switch (next_report(target, &info)) {
		case REPORT_STOP:
			event = dispatch_stop(target, &info);
			/* A target that reports without end must not hold up the caller's ticks. */
			if (event.kind == SPROF_EVENT_TIMEOUT && sprof_clock_now_ns() >= deadline_ns)
				return event;
			break;
		case REPORT_END:
			event = dispatch_end(target, &info);
			break;
		case REPORT_NO_TRACEES:
			event.kind = SPROF_EVENT_EMPTY;
			break;
		case REPORT_NONE:
			if (!target->thread_count && (!target->left || target->ended))
				return (struct sprof_event){.kind = SPROF_EVENT_EMPTY};
			if (sleep_until(target, deadline_ns, &event))
				return event;
			break;
		}
	}
	return event;
}
