/*
 * Observing a process without tracing it: one that runs, or a program that is started for it. Ends
 * with the process, after a time or by a signal.
 */
#ifndef SPROF_CMD_OBSERVING_H
#define SPROF_CMD_OBSERVING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/child.h"
#include "base/attributes.h"
#include "base/error.h"
#include "cmd/signals.h"

struct sprof_observing {
	pid_t pid;                    /* 0: a program is started */
	char *const *operands;        /* the program and its arguments */
	uint64_t duration_ns;         /* 0: no limit */
	uint64_t interval_ns;         /* 0: no intervals */
	uint64_t period_ns;           /* between two polls */
	bool keeps_stdout;            /* a started program writes to stdout; otherwise to stderr */
	bool outlives_process;        /* a poll says when it is over, not the end of the process */
	void (*snapshot)(void *data); /* SIGUSR1; NULL: nothing to do */

	/* The process is there; a program has not run yet. */
	bool (*begin)(void *data, pid_t pid, int pid_fd, struct sprof_error *err);
	/* A program runs now. NULL: nothing to do. */
	void (*begun)(void *data, pid_t pid);
	/* A descriptor that is readable when a poll is due sooner. NULL: none. */
	int (*fd)(void *data);
	/* False: enough. */
	bool (*poll)(void *data, uint64_t now_ns);
	/* An interval has ended. False: enough. */
	bool (*end_interval)(void *data, uint64_t now_ns);
	/* It is over. */
	void (*end)(void *data, uint64_t now_ns);
	void *data;

	/* Of sprof_observing_run(): */
	struct sprof_signals signals;
	struct sprof_child child;
	uint64_t begin_ns;
};

/* Whether either a process or a program was given; `command` for the message. */
SPROF_MUST_USE bool sprof_observing_check(
	const char *command, pid_t pid, char *const operands[], struct sprof_error *err);

/* *ret_exit: of a program, as a shell reports it; else 0. */
SPROF_MUST_USE bool sprof_observing_run(
	struct sprof_observing *observing, int *ret_exit, struct sprof_error *err);

#endif
