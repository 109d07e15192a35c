/* Blocking system calls: the kind of wait, and the argument that determines what it waits for. */
#pragma once

#include <stdint.h>

#include "base/record.h"

enum sprof_blocked_argument {
	SPROF_BLOCKED_ARGUMENT_NONE,
	SPROF_BLOCKED_ARGUMENT_DESCRIPTOR,
	SPROF_BLOCKED_ARGUMENT_RING,  /* a descriptor of an io_uring */
	SPROF_BLOCKED_ARGUMENT_EPOLL, /* a descriptor that watches others */
	/* an array of struct pollfd, with its length in the next argument */
	SPROF_BLOCKED_ARGUMENT_POLL,
	SPROF_BLOCKED_ARGUMENT_SELECT,   /* a number of descriptors, followed by three sets */
	SPROF_BLOCKED_ARGUMENT_DURATION, /* a struct timespec */
	SPROF_BLOCKED_ARGUMENT_CLOCK,    /* flags, followed by a struct timespec */
	SPROF_BLOCKED_ARGUMENT_TIMEVAL,  /* a struct timeval */
	SPROF_BLOCKED_ARGUMENT_MILLISECONDS,
	SPROF_BLOCKED_ARGUMENT_CHILD,  /* a process id as for wait4(2) */
	SPROF_BLOCKED_ARGUMENT_WAITID, /* an id type, followed by an id */
	SPROF_BLOCKED_ARGUMENT_FUTEX,
	SPROF_BLOCKED_ARGUMENT_LOCK, /* a descriptor of a locked file */
	/* a descriptor, if the command in the next argument is about locks */
	SPROF_BLOCKED_ARGUMENT_FCNTL,
	SPROF_BLOCKED_ARGUMENT_IPC,  /* an id of System V semaphores or messages */
	SPROF_BLOCKED_ARGUMENT_PATH, /* a string */
};

struct sprof_blocked_call {
	int64_t number;
	enum sprof_wait_kind kind;
	enum sprof_blocked_argument argument;
	unsigned index; /* of the argument */
};

/*
 * Never NULL: an unknown call has the kind OTHER. A poll(2) or select(2) without descriptors is a
 * sleep, as in programs older than nanosleep(2).
 */
const struct sprof_blocked_call *sprof_blocked_call_find(
	int64_t number, const uint64_t arguments[6]);
