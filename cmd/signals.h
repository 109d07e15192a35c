/*
 * The signals that sprof itself gets, while it samples and while it writes.
 *
 * While a target is traced they are blocked and come to the sampling loop as data; sprof has no handler
 * then and no system call of its own is ever interrupted.
 */
#ifndef SPROF_CMD_SIGNALS_H
#define SPROF_CMD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sprof_signals {
	sigset_t control;  /* what the sampling loop hands to sprof_signals_handle() */
	sigset_t original; /* the mask sprof was started with: also the launched program's */
	bool launched;     /* the target is a program that we started */
	pid_t target;      /* what signals for a launched program are forwarded to; 0: it has ended */
	int ended_by;      /* the signal that ended the run; 0: none did */
	int forwarded;     /* the last signal that was passed on */
	uint64_t forwarded_ns;
	void (*snapshot)(void *data); /* SIGUSR1; NULL: nothing to do */
	void *snapshot_data;
};

/*
 * At the start of every command: lets sprof survive the signals that come of files, SIGBUS (see
 * base/mapped-files.h) and SIGXFSZ, so that a limit of file sizes is an error of write(2).
 */
void sprof_signals_handle_files(void);

/* Those of them that sprof was started with ignored. A program that it starts must find them so. */
const sigset_t *sprof_signals_ignored(void);

/*
 * Blocks the signals of a run, in this thread and those it starts from now on, and SIGPIPE, so that a
 * closed pipe is an error of write(2). What sprof was started with ignored (nohup) stays ignored.
 */
void sprof_signals_block(struct sprof_signals *signals, bool launched);

/* A struct sprof_control's signal(); data is a struct sprof_signals. */
bool sprof_signals_handle(void *data, const siginfo_t *info);

/*
 * The target is gone or detached and the profile is being written: from now on SIGINT, SIGTERM, SIGHUP
 * and SIGQUIT end sprof at once, except echoes of the one that ended the run. They come to this thread.
 */
void sprof_signals_release(const struct sprof_signals *signals);

#endif
