/*
 * System calls that block: what kind of wait each is, and which argument says what it waits for.
 */
#ifndef SPROF_ATTACH_WAIT_CALL_H
#define SPROF_ATTACH_WAIT_CALL_H

#include <stdint.h>

#include "base/record.h"

enum sprof_wait_argument {
	SPROF_WAIT_ARGUMENT_NONE,
	SPROF_WAIT_ARGUMENT_DESCRIPTOR,
	SPROF_WAIT_ARGUMENT_EPOLL,    /* a descriptor that watches others */
	SPROF_WAIT_ARGUMENT_POLL,     /* an array of struct pollfd, its length in the next one */
	SPROF_WAIT_ARGUMENT_SELECT,   /* a number of descriptors, three sets in the next ones */
	SPROF_WAIT_ARGUMENT_DURATION, /* a struct timespec */
	SPROF_WAIT_ARGUMENT_CLOCK,    /* flags, and a struct timespec in the next one */
	SPROF_WAIT_ARGUMENT_CHILD,    /* a process id as wait4(2) has it */
	SPROF_WAIT_ARGUMENT_WAITID,   /* a type of id, the id in the next one */
	SPROF_WAIT_ARGUMENT_FUTEX,
	SPROF_WAIT_ARGUMENT_LOCK,  /* a descriptor of a locked file */
	SPROF_WAIT_ARGUMENT_FCNTL, /* the same, if the command in the next one is about locks */
	SPROF_WAIT_ARGUMENT_IPC,   /* the id of System V semaphores or messages */
	SPROF_WAIT_ARGUMENT_PATH,  /* a string */
};

struct sprof_wait_call {
	int64_t number;
	enum sprof_wait_kind kind;
	enum sprof_wait_argument argument;
	unsigned index; /* of the argument */
};

/* Never NULL: of a call that is not known, kind OTHER. */
const struct sprof_wait_call *sprof_wait_call_find(int64_t number);

#endif
