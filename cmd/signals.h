/*
 * Signals to sprof itself, while sampling and while writing.
 *
 * While a target is traced, these signals are blocked and the sampling loop reads them as data. So
 * sprof needs no handlers, and none of its system calls is interrupted.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampler/sampler.h"

struct sprof_channel_reader;

struct sprof_signals {
	/* becomes readable at the guardian's death, for the thread that began; 0: none */
	int guardian;
	sigset_t control;  /* signals that the sampling loop passes to sprof_signals_handle() */
	sigset_t original; /* sprof's original mask, for the launched program */
	bool launched;     /* sprof has started the target */
	bool switches;     /* SIGUSR2 switches sampling */
	/*
	 * SIGINT was ignored at the start, as for background jobs of a script: ignore it from the
	 * terminal, but not from a process
	 */
	bool ignores_ctrl_c;
	pid_t parent; /* while this process lives, the guardian's signal is ignored */
	/* process to forward signals to; 0: the launched program has ended */
	pid_t target;
	int ended_by;  /* the signal that ended the run; 0: none */
	int forwarded; /* the last forwarded signal */
	uint64_t forwarded_ns;
	void (*snapshot)(void *data); /* called on SIGUSR1; may be NULL */
	void *snapshot_data;
	struct sprof_channel_reader *reader; /* of --control; NULL: none */
};

/*
 * Call it at the start of every command, for signals that must not terminate it. SIGBUS: see
 * base/mapped-files.h. SIGXFSZ: file size limits become errors of write(2). SIGUSR1 and SIGUSR2 are
 * ignored until a run handles them.
 */
void sprof_signals_survive(void);

/*
 * Which of these were ignored when sprof started. A program that sprof starts must find them
 * ignored.
 */
const sigset_t *sprof_signals_ignored(void);

/*
 * Blocks the signals of a run in this thread and in threads that it starts later, and SIGPIPE, so
 * that a closed pipe is an error of write(2). Signals ignored at sprof's start (nohup) stay
 * ignored, except a SIGINT from a process to an attached sprof.
 */
void sprof_signals_block(struct sprof_signals *signals, bool launched);

/*
 * Call it after that, before threads exist: SIGUSR2 switches sampling off and on, unlike in other
 * commands; SIGIO means that `reader` has a line.
 */
void sprof_signals_switch(struct sprof_signals *signals, struct sprof_channel_reader *reader);

/* What a signal requests. */
enum sprof_order sprof_signals_handle(struct sprof_signals *signals, const siginfo_t *info);

/* Call it when the order has been carried out. */
void sprof_signals_done(const struct sprof_signals *signals);

/*
 * The target is gone or detached, and the profile is being written: from now on SIGINT, SIGTERM,
 * SIGHUP and SIGQUIT terminate sprof at once, except repetitions of the one that ended the run.
 * They are delivered to this thread.
 */
void sprof_signals_release(const struct sprof_signals *signals);
