/*
 * The loop of sprof rundelay: it waits for whatever comes first. Does not handle what is printed.
 */
#include "cmd/rundelay-watch.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

enum { FD_PROCESS, FD_SIGNALS, FD_RINGS, FDS };

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Waits for one of the descriptors, or until the moment. */
static void wait_until(struct pollfd fds[FDS], uint64_t deadline_ns)
{
	const uint64_t now = sprof_clock_now_ns();
	const uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
	const struct timespec timeout = {.tv_sec = (time_t)(left / SPROF_NS_PER_S),
		.tv_nsec = (long)(left % SPROF_NS_PER_S)};

	for (int i = 0; i < FDS; i++)
		fds[i].revents = 0;
	if (ppoll(fds, FDS, &timeout, NULL) < 0) {
		for (int i = 0; i < FDS; i++)
			fds[i].revents = 0;
	}
}

/* False: a signal ends the run. */
static bool take_signals(const struct sprof_rundelay_watch *watch, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		const siginfo_t copy = {.si_signo = (int)info.ssi_signo, .si_code = info.ssi_code};

		if (!sprof_signals_handle(watch->signals, &copy))
			return false;
	}
	return true;
}

static bool end_interval(const struct sprof_rundelay_watch *watch, uint64_t now, uint64_t *due)
{
	if (!watch->interval_ns || now < *due)
		return true;
	while (*due <= now)
		*due += watch->interval_ns;
	return watch->end_interval(watch->data, now);
}

void sprof_rundelay_watch_run(const struct sprof_rundelay_watch *watch)
{
	SPROF_AUTO_CLOSE int signal_fd =
		signalfd(-1, &watch->signals->control, SFD_NONBLOCK | SFD_CLOEXEC);
	struct pollfd fds[FDS] = {
		[FD_PROCESS] = {watch->pid_fd, POLLIN, 0},
		[FD_SIGNALS] = {signal_fd, POLLIN, 0},
		[FD_RINGS] = {sprof_rundelay_fd(watch->rundelay), POLLIN, 0},
	};
	const uint64_t end = watch->duration_ns ? watch->begin_ns + watch->duration_ns : UINT64_MAX;
	uint64_t poll_due = watch->begin_ns, now;
	uint64_t interval_due = watch->begin_ns + watch->interval_ns;

	for (;;) {
		uint64_t due = earlier(poll_due, end);

		wait_until(fds, watch->interval_ns ? earlier(due, interval_due) : due);
		if (fds[FD_SIGNALS].revents && !take_signals(watch, signal_fd))
			return;
		now = sprof_clock_now_ns();
		if (fds[FD_RINGS].revents || now >= poll_due) {
			sprof_rundelay_poll(watch->rundelay, now);
			poll_due = now + SPROF_RUNDELAY_PERIOD_NS;
		}
		if (fds[FD_PROCESS].revents || now >= end ||
			!end_interval(watch, now, &interval_due))
			return;
	}
}
