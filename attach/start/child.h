/*
 * Starts a program without tracing it. The child waits for a byte on a socket before its exec, so
 * that its observer is ready at the first instruction.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "attach/target.h"
#include "base/attributes.h"
#include "base/error.h"

/* Changes that sprof made for itself and the child reverts. */
struct sprof_child_setup {
	const sigset_t *mask;
	const struct sigaction *child_handler; /* for SIGCHLD */
	const struct rlimit *descriptors;      /* NULL: no change */
};

/*
 * In the child: waits for a byte from the socket and executes the program. On failure, sends errno.
 */
void sprof_child_run(int socket, const struct sprof_launch *launch,
	const struct sprof_child_setup *setup) __attribute__((noreturn));

struct sprof_child {
	pid_t pid;
	int socket; /* -1: the program runs */
	const char *program;
	struct sigaction child_handler; /* for SIGCHLD: sprof's original one */
};

/* Forks. The child gets this signal mask, and exits if its parent ends before sprof_child_go(). */
SPROF_MUST_USE bool sprof_child_start(struct sprof_child *child, const struct sprof_launch *launch,
	const sigset_t *mask, struct sprof_error *err);

/* Lets the child execute its program. Returns false if that failed; the child has then ended. */
SPROF_MUST_USE bool sprof_child_go(struct sprof_child *child, struct sprof_error *err);

/* Terminates a child that waits. */
void sprof_child_cancel(struct sprof_child *child);

/* Whether the program has ended, and its status as waitpid(2) encodes it. Does not block. */
bool sprof_child_ended(const struct sprof_child *child, int *ret_wait_status);
