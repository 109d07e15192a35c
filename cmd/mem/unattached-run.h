/*
 * Observes a running process, or a program started for it, without ptrace. Ends with the process,
 * after a time, or by a signal.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/start/child.h"
#include "base/attributes.h"
#include "base/error.h"
#include "cmd/signals.h"

struct sprof_unattached_run {
	pid_t pid;             /* 0: start a program */
	char *const *operands; /* the program and its arguments */
	uint64_t duration_ns;  /* 0: no limit */
	uint64_t interval_ns;  /* 0: no intervals */
	uint64_t period_ns;    /* between polls */
	bool keeps_stdout;     /* a started program writes to stdout, instead of stderr */
	/* the run ends when poll() returns false, not at the process's end */
	bool outlives_process;
	void (*snapshot)(void *data); /* called on SIGUSR1; may be NULL */

	/* Called when the process exists; a program has not run yet. */
	bool (*begin)(void *data, pid_t pid, int pid_fd, struct sprof_error *err);
	/* Called when a program has started. May be NULL. */
	void (*begun)(void *data, pid_t pid);
	/* A descriptor that becomes readable when a poll is urgent. May be NULL. */
	int (*fd)(void *data);
	/* Returns false to end the run. */
	bool (*poll)(void *data, uint64_t now_ns);
	/* Called at the end of an interval. Returns false to end the run. */
	bool (*end_interval)(void *data, uint64_t now_ns);
	/* Called at the end of the run. */
	void (*end)(void *data, uint64_t now_ns);
	void *data;

	/* Private to sprof_unattached_run_run(): */
	struct sprof_signals signals;
	struct sprof_child child;
	uint64_t begin_ns;
};

/* Checks /proc, and that either a process or a program is given. `command` is for the message. */
SPROF_MUST_USE bool sprof_unattached_run_check(
	const char *command, pid_t pid, char *const operands[], struct sprof_error *err);

/* *ret_exit: a program's exit code as a shell reports it; else 0. */
SPROF_MUST_USE bool sprof_unattached_run_run(
	struct sprof_unattached_run *observing, int *ret_exit, struct sprof_error *err);
