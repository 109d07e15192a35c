/*
 * The signals that sprof itself gets, while it samples and while it writes.
 *
 * While a target is traced these signals are blocked and come to the sampling loop as data. Then
 * sprof has no handlers, and none of its own system calls is interrupted.
 */
#ifndef SPROF_CMD_SIGNALS_H
#define SPROF_CMD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampler/sampler.h"

struct sprof_channel_reader;

struct sprof_signals {
	int guardian; /* of the thread that began: tells of the guardian's death; 0: there is none */
	sigset_t control;  /* what the sampling loop hands to sprof_signals_handle() */
	sigset_t original; /* the mask that sprof was started with; the launched program gets it */
	bool launched;     /* sprof has started the target */
	bool switches;     /* SIGUSR2 switches sampling */
	/*
	 * SIGINT was ignored at the start, as in the background of a script: what the terminal
	 * sends is not for sprof, what a process sends is
	 */
	bool ignores_ctrl_c;
	pid_t parent; /* while it lives, the guardian's signal means nothing */
	/* the process that signals are forwarded to; 0: the launched program has ended */
	pid_t target;
	int ended_by;  /* the signal that ended the run; 0: none did */
	int forwarded; /* the last signal that was passed on */
	uint64_t forwarded_ns;
	void (*snapshot)(void *data); /* SIGUSR1; NULL: nothing to do */
	void *snapshot_data;
	struct sprof_channel_reader *reader; /* of --control; NULL: there is none */
};

/*
 * At the start of every command: what must not end it. SIGBUS: see base/mapped-files.h. SIGXFSZ: a
 * limit of file sizes becomes an error of write(2). SIGUSR1 and SIGUSR2 are requests, which mean
 * nothing until a run takes them.
 */
void sprof_signals_survive(void);

/*
 * Those of them that sprof was started with ignored. A program that it starts must find them
 * ignored.
 */
const sigset_t *sprof_signals_ignored(void);

/*
 * Blocks the signals of a run, in this thread and those it starts from now on, and SIGPIPE, so that
 * a closed pipe is an error of write(2). What sprof was started with ignored (nohup) stays ignored,
 * except a SIGINT that a process sends to a sprof which is attached.
 */
void sprof_signals_block(struct sprof_signals *signals, bool launched);

/*
 * After that, and before there are threads: SIGUSR2 switches sampling off and on, which it does not
 * in other commands; SIGIO says that a reader has a line.
 */
void sprof_signals_switch(struct sprof_signals *signals, struct sprof_channel_reader *reader);

/* What a signal asks for. */
enum sprof_order sprof_signals_handle(struct sprof_signals *signals, const siginfo_t *info);

/* Call this when that is carried out. */
void sprof_signals_done(const struct sprof_signals *signals);

/*
 * The target is gone or detached and the profile is being written: from now on SIGINT, SIGTERM,
 * SIGHUP and SIGQUIT end sprof at once, except echoes of the one that ended the run. They come to
 * this thread.
 */
void sprof_signals_release(const struct sprof_signals *signals);

#endif
