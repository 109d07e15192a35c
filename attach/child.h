/*
 * A program that is started without being traced. It waits for a word before its exec, so that its
 * observer is there from its first instruction on.
 */
#ifndef SPROF_ATTACH_CHILD_H
#define SPROF_ATTACH_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "attach/target.h"
#include "base/attributes.h"
#include "base/error.h"

/* What the child takes back of what sprof has changed for itself. */
struct sprof_child_setup {
	const sigset_t *mask;
	const struct sigaction *child_handler; /* of SIGCHLD */
	const struct rlimit *descriptors;      /* NULL: unchanged */
};

/* In the child: waits for a byte from the socket, and executes the program. Sends errno if it can't. */
void sprof_child_run(int socket, const struct sprof_launch *launch,
	const struct sprof_child_setup *setup) __attribute__((noreturn));

struct sprof_child {
	pid_t pid;
	int socket; /* -1: the program runs */
	const char *program;
	struct sigaction child_handler; /* of SIGCHLD: what sprof was started with */
};

/* Forks. The child gets this signal mask, and ends by itself if its parent ends before the word. */
SPROF_MUST_USE bool sprof_child_start(struct sprof_child *child, const struct sprof_launch *launch,
	const sigset_t *mask, struct sprof_error *err);

/* The word: the child executes its program. False: it could not, and has ended. */
SPROF_MUST_USE bool sprof_child_go(struct sprof_child *child, struct sprof_error *err);

/* Ends a child that waits for its word. */
void sprof_child_cancel(struct sprof_child *child);

/* Whether the program has ended, and its status as waitpid(2) encodes it. Does not wait. */
bool sprof_child_ended(const struct sprof_child *child, int *ret_wait_status);

#endif
