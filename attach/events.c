/*
 * The only place that reads the kernel's reports: waits for stops and ends, has them dispatched
 * (dispatch.c), and hands out the resulting events.
 */
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "attach/calls/stop.h"
#include "attach/dispatch.h"
#include "attach/target-internal.h"
#include "base/clock.h"
#include "base/numbers.h"

enum { UNASKED_MAX = 64 };

enum report { REPORT_NONE, REPORT_STOP, REPORT_END, REPORT_NO_TRACEES };

/*
 * Looks at a stop without consuming it. A wait that consumes a stop removes it from the tracee: if
 * sprof were killed before it resumes the thread, the stop's signal would be lost (kernel/exit.c,
 * wait_task_stopped; tests/faults, kill). Two stops are consumed: one that the caller has not yet
 * resumed, so that it is not reported again; and one at an exec, because until then ptrace requests
 * to a thread with a new id fail (kernel/ptrace.c, looks_like_a_spurious_pid).
 */
static bool look_at_stop(struct sprof_target *target, pid_t tid, siginfo_t *ret_info)
{
	const int which = WSTOPPED | __WALL | __WNOTHREAD | WNOHANG;
	const struct sprof_thread *thread = sprof_target_find(target, tid);

	ret_info->si_pid = 0;
	if (thread &&
		(thread->phase == SPROF_THREAD_STOPPED || thread->phase == SPROF_THREAD_LEAVING)) {
		waitid(P_PID, (id_t)tid, ret_info, which);
		return false;
	}
	if (waitid(P_PID, (id_t)tid, ret_info, which | WNOWAIT) || !ret_info->si_pid ||
		ret_info->si_code != CLD_TRAPPED)
		return false;
	return ret_info->si_status >> 8 != PTRACE_EVENT_EXEC ||
		!waitid(P_PID, (id_t)tid, ret_info, which);
}

/*
 * Tracees report traps, so this child is not a tracee: it is a process that writes a snapshot, and
 * was stopped by a signal. Consumes the report, so that it comes only once.
 */
static void take_stop_of_child(pid_t pid)
{
	siginfo_t info;

	waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG);
}

/*
 * A thread has one report at a time. Others come from other threads of the target, and from child
 * processes that were detached.
 */
static bool is_alone(const struct sprof_target *target)
{
	return target->thread_count == 1 && !target->held_count && !target->has_let_go;
}

/*
 * If the only thread hits breakpoints, its signals announce those; others are polled now and then.
 */
static void be_quiet_after_trap(struct sprof_target *target, const siginfo_t *info)
{
	if (!target->options.holds || info->si_status != SIGTRAP || !is_alone(target) ||
		target->unasked >= UNASKED_MAX)
		return;
	target->quiet = true;
	target->unasked++;
}

/*
 * The next stop or end that the kernel has for us (__WNOTHREAD: not for another thread of sprof).
 * Ends are not consumed: an ended thread's last figures can still be read. For each answer the
 * kernel searches all tracees, so ask only after a SIGCHLD, and first about the thread that the
 * signal names. Several reports may share one signal.
 */
static enum report next_report(struct sprof_target *target, siginfo_t *ret_info)
{
	pid_t hint = target->hint;

	target->hint = 0;
	if (hint && look_at_stop(target, hint, ret_info)) {
		be_quiet_after_trap(target, ret_info);
		return REPORT_STOP;
	}
	while (!target->quiet) {
		target->unasked = 0;
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

/*
 * With traced calls, most signals announce a call stop, and the data read at such a stop anyway
 * identifies it. The signal may be merged with others if there are other tracees, so all are polled
 * from time to time.
 */
static bool take_call(struct sprof_target *target)
{
	struct sprof_thread *thread;
	struct sprof_call_state state;

	if (!target->options.calls || !target->hint)
		return false;
	thread = sprof_target_find(target, target->hint);
	if (!thread || thread->leaving ||
		(thread->phase != SPROF_THREAD_RUNNING &&
			thread->phase != SPROF_THREAD_INTERRUPTED) ||
		!sprof_thread_read_call(thread, &state) || state.stop == SPROF_CALL_NONE)
		return false;
	target->hint = 0;
	target->quiet = is_alone(target) && target->unasked < UNASKED_MAX;
	target->unasked += target->quiet;
	sprof_dispatch_call(target, thread, &state);
	return true;
}

static struct timespec time_to(uint64_t end_ns, uint64_t now_ns)
{
	const uint64_t left = sprof_minus(end_ns, now_ns);

	return (struct timespec){
		.tv_sec = (time_t)(left / SPROF_NS_PER_S),
		.tv_nsec = (long)(left % SPROF_NS_PER_S),
	};
}

/* Sleeps until a signal or the deadline. Returns false at the deadline. */
static bool sleep_until(struct sprof_target *target, uint64_t deadline_ns)
{
	const struct timespec timeout = time_to(deadline_ns, sprof_clock_now_ns());
	siginfo_t info;
	/* Setting and removing a timer at each call costs up to a tenth of a stop. */
	int signal = sigtimedwait(
		&target->options.control, &info, deadline_ns == UINT64_MAX ? NULL : &timeout);

	if (signal < 0) {
		/* A chosen leader goes without a report if another thread executes a program. */
		target->quiet &= !target->unasked && !target->options.chosen_threads;
		return errno == EINTR;
	}
	if (signal == SIGCHLD) {
		target->quiet = false;
		target->hint = info.si_pid;
	} else {
		sprof_event_queue_put_signal(&target->events, &info);
	}
	return true;
}

static bool is_empty(const struct sprof_target *target)
{
	return !target->thread_count && (!target->left || target->ended);
}

struct sprof_event sprof_target_spin(
	struct sprof_target *target, const struct sprof_thread *thread, uint64_t deadline_ns)
{
	struct sprof_event event = {.kind = SPROF_EVENT_TIMEOUT};
	pid_t tid = thread->tid;
	siginfo_t info;

	while (!sprof_event_queue_take(&target->events, &event) &&
		sprof_clock_now_ns() < deadline_ns) {
		if (look_at_stop(target, tid, &info))
			sprof_dispatch_stop(target, &info);
	}
	return event;
}

/*
 * Takes one report, or sleeps. Returns false if there is nothing to wait for; *ret has the reason.
 */
static bool take_report(
	struct sprof_target *target, uint64_t deadline_ns, enum sprof_event_kind *ret)
{
	siginfo_t info;

	*ret = SPROF_EVENT_TIMEOUT;
	if (take_call(target))
		return target->events.count || sprof_clock_now_ns() < deadline_ns;
	switch (next_report(target, &info)) {
	case REPORT_STOP:
		sprof_dispatch_stop(target, &info);
		/* A target that reports endlessly must not delay the caller's ticks. */
		return target->events.count || sprof_clock_now_ns() < deadline_ns;
	case REPORT_END:
		sprof_dispatch_end(target, &info);
		return true;
	case REPORT_NONE:
		if (!is_empty(target))
			return sleep_until(target, deadline_ns);
		break;
	case REPORT_NO_TRACEES:
		break;
	}
	*ret = SPROF_EVENT_EMPTY;
	return false;
}

struct sprof_event sprof_target_next_event(struct sprof_target *target, uint64_t deadline_ns)
{
	struct sprof_event event = {.thread = NULL};

	while (!sprof_event_queue_take(&target->events, &event)) {
		if (!take_report(target, deadline_ns, &event.kind))
			return event;
	}
	return event;
}
