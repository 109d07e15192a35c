/*
 * The loop of commands that observe a process without ptrace: waits for the first of several
 * events, and calls the command.
 */
#include "cmd/mem/unattached-run.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/denial/denial.h"
#include "attach/start/machine.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/numbers.h"
#include "cmd/cli/command.h"
#include "cmd/cli/environment.h"

enum { FD_PROCESS, FD_SIGNALS, FD_DATA, FDS };

bool sprof_unattached_run_check(
	const char *command, pid_t pid, char *const operands[], struct sprof_error *err)
{
	if (!pid != !operands[0])
		return sprof_machine_check_proc(err);
	if (pid)
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"%s watches a process or a program that it starts, not both", command);
	else
		sprof_error_set(err, SPROF_ERROR_USAGE, "%s needs a process or a program", command);
	return sprof_error_hint(err, "sprof %s -p PID, or sprof %s -- PROGRAM", command, command);
}

/* Waits for one of the descriptors, or until the moment. */
static void wait_until(struct pollfd fds[FDS], uint64_t deadline_ns)
{
	const uint64_t now = sprof_clock_now_ns();
	const uint64_t left = sprof_minus(deadline_ns, now);
	const struct timespec timeout = {.tv_sec = (time_t)(left / SPROF_NS_PER_S),
		.tv_nsec = (long)(left % SPROF_NS_PER_S)};

	for (int i = 0; i < FDS; i++)
		fds[i].revents = 0;
	if (ppoll(fds, FDS, &timeout, NULL) < 0) {
		for (int i = 0; i < FDS; i++)
			fds[i].revents = 0;
	}
}

/* Returns false if a signal ends the run. */
static bool take_signals(struct sprof_unattached_run *observing, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		const siginfo_t copy = {.si_signo = (int)info.ssi_signo, .si_code = info.ssi_code};

		if (sprof_signals_handle(&observing->signals, &copy) == SPROF_ORDER_END)
			return false;
	}
	return true;
}

static bool end_interval(const struct sprof_unattached_run *observing, uint64_t now, uint64_t *due)
{
	if (!observing->interval_ns || now < *due)
		return true;
	*due += ((now - *due) / observing->interval_ns + 1) * observing->interval_ns;
	return observing->end_interval(observing->data, now);
}

/* Returns at the end of the run; the last interval is not reported yet. */
static void loop(struct sprof_unattached_run *observing, int pid_fd)
{
	SPROF_AUTO_CLOSE int signal_fd =
		signalfd(-1, &observing->signals.control, SFD_NONBLOCK | SFD_CLOEXEC);
	struct pollfd fds[FDS] = {
		[FD_PROCESS] = {observing->outlives_process ? -1 : pid_fd, POLLIN, 0},
		[FD_SIGNALS] = {signal_fd, POLLIN, 0},
		[FD_DATA] = {observing->fd ? observing->fd(observing->data) : -1, POLLIN, 0},
	};
	const uint64_t begin = observing->begin_ns;
	const uint64_t end = observing->duration_ns ? begin + observing->duration_ns : UINT64_MAX;
	uint64_t poll_due = begin, interval_due = begin + observing->interval_ns, now;

	for (;;) {
		uint64_t due = sprof_least(poll_due, end);

		wait_until(fds, observing->interval_ns ? sprof_least(due, interval_due) : due);
		if (fds[FD_SIGNALS].revents && !take_signals(observing, signal_fd))
			return;
		now = sprof_clock_now_ns();
		if (fds[FD_DATA].revents || now >= poll_due) {
			if (!observing->poll(observing->data, now))
				return;
			poll_due = now + observing->period_ns;
		}
		if (fds[FD_PROCESS].revents || now >= end ||
			!end_interval(observing, now, &interval_due))
			return;
	}
}

static bool set_gone(pid_t pid, struct sprof_error *err)
{
	return sprof_error_set(err, SPROF_ERROR_TARGET_GONE, "watch %d: no such process", (int)pid);
}

static bool has_ended(int pid_fd)
{
	struct pollfd fd = {pid_fd, POLLIN, 0};

	return poll(&fd, 1, 0) > 0;
}

/* The process is there; a launched one waits for its word. */
static bool watch(struct sprof_unattached_run *observing, pid_t pid, struct sprof_error *err)
{
	SPROF_AUTO_CLOSE int pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (pid_fd < 0 && errno == ESRCH)
		return set_gone(pid, err);
	if (pid_fd < 0) {
		sprof_error_errno(err, errno, "watch %d: pidfd_open", (int)pid);
		return sprof_error_hint(
			err, "a seccomp filter of this container or sandbox may forbid pidfd_open");
	}
	observing->begin_ns = sprof_clock_now_ns();
	if (!observing->begin(observing->data, pid, pid_fd, err))
		return false;
	if (has_ended(pid_fd))
		return set_gone(pid, err);
	if (!observing->pid && !sprof_child_go(&observing->child, err))
		return false;
	if (observing->begun)
		observing->begun(observing->data, pid);
	loop(observing, pid_fd);
	sprof_signals_release(&observing->signals);
	observing->end(observing->data, sprof_clock_now_ns());
	return true;
}

static bool launch(struct sprof_unattached_run *observing, struct sprof_error *err)
{
	SPROF_AUTO_FREE char **environment = sprof_environment_take();
	const struct sprof_launch launch = {
		.arguments = observing->operands,
		.environment = environment,
		.stdout_to_stderr = !observing->keeps_stdout,
		.ignored = sprof_signals_ignored(),
	};
	bool done;

	if (!environment)
		return sprof_error_no_memory(err);
	if (!sprof_child_start(&observing->child, &launch, &observing->signals.original, err))
		return false;
	observing->signals.target = observing->child.pid;
	done = watch(observing, observing->child.pid, err);
	sprof_child_cancel(&observing->child);
	return done;
}

/* Whether the process may be watched at all; the error is that of an attach. */
static bool check_target(pid_t pid, struct sprof_error *err)
{
	struct sprof_denial_facts facts;

	sprof_denial_find("/proc", pid, 0, &facts);
	if (facts.cause == SPROF_DENIAL_SELF || facts.cause == SPROF_DENIAL_KERNEL_THREAD)
		return sprof_denial_error(&facts, pid, 0, err);
	return true;
}

bool sprof_unattached_run_run(
	struct sprof_unattached_run *observing, int *ret_exit, struct sprof_error *err)
{
	int status;
	bool done;

	if (observing->pid && !check_target(observing->pid, err))
		return false;
	observing->child.socket = -1;
	sprof_signals_block(&observing->signals, !observing->pid);
	observing->signals.snapshot = observing->snapshot;
	observing->signals.snapshot_data = observing->data;
	done = observing->pid ? watch(observing, observing->pid, err) : launch(observing, err);
	if (!done)
		return false;
	*ret_exit = observing->signals.ended_by ? 128 + observing->signals.ended_by : 0;
	if (observing->pid)
		*ret_exit = 0;
	else if (sprof_child_ended(&observing->child, &status))
		*ret_exit = sprof_exit_of_program(status);
	return true;
}
