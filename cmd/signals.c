/*
 * Routes signals. A signal from the terminal has already reached the program. A signal from a
 * process is meant for sprof and the program. timeout(1) sends each signal twice: to its child and
 * to its process group. Does not decide what sprof does at its end.
 */
#include "cmd/signals.h"

#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "attach/start/guardian.h"
#include "base/clock.h"
#include "base/mapped-files.h"
#include "cmd/record/channel-reader.h"

/* A second signal within this time is an echo of the first. */
static const uint64_t echo_ns = 500ull * SPROF_NS_PER_MS;

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static const int requests[] = {SIGUSR1, SIGUSR2};

static const int suspending[] = {SIGTSTP, SIGTTIN, SIGTTOU};

enum {
	ENDING = sizeof(ending) / sizeof(ending[0]),
	REQUESTS = sizeof(requests) / sizeof(requests[0]),
	SUSPENDING = sizeof(suspending) / sizeof(suspending[0]),
};

/*
 * When a signal was passed on or ended the run. Set before the handler is installed, which reads
 * it.
 */
static uint64_t handled_ns;

/* Signals that sprof handles from start to end although it was started with them ignored. */
static sigset_t ignored;

static void survive(int signal)
{
}

/*
 * Installs handlers. Ignored signals would stay ignored in the programs that sprof starts;
 * execve(2) resets handlers to the default.
 */
void sprof_signals_survive(void)
{
	static const int survived[] = {SIGXFSZ, SIGPIPE, SIGUSR1, SIGUSR2};
	const struct sigaction action = {.sa_handler = survive, .sa_flags = SA_RESTART};

	sigemptyset(&ignored);
	if (sprof_signal_is_ignored(SIGBUS))
		sigaddset(&ignored, SIGBUS);
	if (sprof_signal_is_ignored(SIGUSR2)) /* which the guardian takes */
		sigaddset(&ignored, SIGUSR2);
	for (size_t i = 0; i < sizeof(survived) / sizeof(survived[0]); i++) {
		if (!sprof_signal_is_ignored(survived[i]))
			sigaction(survived[i], &action, NULL);
	}
	sprof_mapped_files_survive_truncation();
}

const sigset_t *sprof_signals_ignored(void)
{
	return &ignored;
}

/* For signals that end sprof, or a program that it has started. */
static bool is_taken(const struct sprof_signals *signals, int signal)
{
	/* Ctrl-\ must end sprof attach. */
	if (signal == SIGQUIT && !signals->launched)
		return false;
	return !sprof_signal_is_ignored(signal) || (signal == SIGINT && signals->ignores_ctrl_c);
}

void sprof_signals_block(struct sprof_signals *signals, bool launched)
{
	sigset_t blocked;

	*signals = (struct sprof_signals){
		.launched = launched,
		.ignores_ctrl_c = !launched && sprof_signal_is_ignored(SIGINT),
		.parent = getppid(),
	};
	sigemptyset(&signals->control);
	for (int i = 0; i < ENDING; i++) {
		if (is_taken(signals, ending[i]))
			sigaddset(&signals->control, ending[i]);
	}
	for (int i = 0; i < REQUESTS; i++) {
		if (!sprof_signal_is_ignored(requests[i]))
			sigaddset(&signals->control, requests[i]);
	}
	signals->guardian = sprof_guardian_signal();
	if (signals->guardian)
		sigaddset(&signals->control, signals->guardian);
	blocked = signals->control;
	sigaddset(&blocked, SIGCHLD);
	sigaddset(&blocked, SIGPIPE);
	/*
	 * A suspended tracer freezes its target at the next event. In run, job control stops both.
	 */
	for (int i = 0; !launched && i < SUSPENDING; i++)
		sigaddset(&blocked, suspending[i]);
	sigprocmask(SIG_BLOCK, &blocked, &signals->original);
	/*
	 * An ignored SIGCHLD would never wake us. For a launched program, the launch sets and
	 * resets this.
	 */
	if (!launched && sprof_signal_is_ignored(SIGCHLD))
		signal(SIGCHLD, SIG_DFL);
}

void sprof_signals_switch(struct sprof_signals *signals, struct sprof_channel_reader *reader)
{
	signals->switches = true;
	signals->reader = reader;
	if (reader)
		sigaddset(&signals->control, SIGIO);
	sigprocmask(SIG_BLOCK, &signals->control, NULL);
}

static enum sprof_order end_run(struct sprof_signals *signals, int signal)
{
	signals->ended_by = signal;
	handled_ns = sprof_clock_now_ns();
	return SPROF_ORDER_END;
}

/*
 * The first signal is forwarded to the program; a second one ends the run. If only processes
 * started by the program are left, the first one ends the run: they were not started by sprof, so
 * it does not end them.
 */
static enum sprof_order forward(struct sprof_signals *signals, const siginfo_t *info)
{
	uint64_t now = sprof_clock_now_ns();

	if (!signals->target)
		return end_run(signals, info->si_signo);
	/* The terminal sends to the whole foreground group (signal(7), sigaction(2): SI_KERNEL). */
	if (info->si_code == SI_KERNEL)
		return SPROF_ORDER_GO_ON;
	/* The program has sent it to its parent, so it must not come back. */
	if (info->si_code == SI_USER && info->si_pid == signals->target)
		return SPROF_ORDER_GO_ON;
	if (signals->forwarded && now - signals->forwarded_ns < echo_ns)
		return SPROF_ORDER_GO_ON;
	if (signals->forwarded)
		return end_run(signals, info->si_signo);
	signals->forwarded = info->si_signo;
	signals->forwarded_ns = handled_ns = now;
	kill(signals->target, info->si_signo);
	return SPROF_ORDER_GO_ON;
}

static enum sprof_order take_snapshot(const struct sprof_signals *signals)
{
	if (signals->snapshot)
		signals->snapshot(signals->snapshot_data);
	return SPROF_ORDER_GO_ON;
}

static enum sprof_order take_line(const struct sprof_signals *signals)
{
	switch (sprof_channel_reader_take(signals->reader)) {
	case SPROF_LINE_ENABLE:
		return SPROF_ORDER_ON;
	case SPROF_LINE_DISABLE:
		return SPROF_ORDER_OFF;
	case SPROF_LINE_STOP:
		return SPROF_ORDER_END;
	case SPROF_LINE_SNAPSHOT:
		return take_snapshot(signals);
	case SPROF_LINE_EMPTY:
	case SPROF_LINE_PING:
	case SPROF_LINE_UNKNOWN:
		break;
	}
	return SPROF_ORDER_GO_ON;
}

void sprof_signals_done(const struct sprof_signals *signals)
{
	if (signals->reader)
		sprof_channel_reader_done(signals->reader);
}

enum sprof_order sprof_signals_handle(struct sprof_signals *signals, const siginfo_t *info)
{
	/* Any process may send the same signal (kernel/exit.c: forget_original_parent). */
	if (info->si_signo == signals->guardian && getppid() != signals->parent)
		return end_run(signals, info->si_signo);
	if (info->si_signo == SIGUSR1)
		return take_snapshot(signals);
	if (info->si_signo == SIGIO)
		return take_line(signals);
	if (info->si_signo == SIGUSR2)
		return signals->switches ? SPROF_ORDER_TOGGLE : SPROF_ORDER_GO_ON;
	if (info->si_signo == SIGINT && signals->ignores_ctrl_c && info->si_code == SI_KERNEL)
		return SPROF_ORDER_GO_ON;
	if (signals->launched)
		return forward(signals, info);
	return end_run(signals, info->si_signo);
}

/* Two Ctrl-C are two signals; only a process sends an echo. */
static void exit_at_once(int signal, siginfo_t *info, void *context)
{
	if (info->si_code != SI_KERNEL && handled_ns && sprof_clock_now_ns() - handled_ns < echo_ns)
		return;
	_exit(128 + signal);
}

/*
 * Drops signals that arrived before the end of the run and are still pending. They must not end the
 * writing: the program got them, too, or they requested the end that has come.
 */
static void discard_pending(const sigset_t *which)
{
	const struct timespec now = {0};

	while (sigtimedwait(which, NULL, &now) > 0)
		;
}

void sprof_signals_release(const struct sprof_signals *signals)
{
	struct sigaction action = {
		.sa_sigaction = exit_at_once, .sa_flags = SA_RESTART | SA_SIGINFO};
	sigset_t released;

	sigemptyset(&released);
	for (int i = 0; i < ENDING; i++) {
		if (!sigismember(&signals->control, ending[i]) ||
			sprof_signal_is_ignored(ending[i]))
			continue;
		sigaction(ending[i], &action, NULL);
		sigaddset(&released, ending[i]);
	}
	if (!signals->ended_by)
		discard_pending(&released);
	/* A pending Ctrl-Z takes effect now that the target is free. */
	for (int i = 0; i < SUSPENDING; i++) {
		if (!sigismember(&signals->original, suspending[i]))
			sigaddset(&released, suspending[i]);
	}
	pthread_sigmask(SIG_UNBLOCK, &released, NULL);
}
