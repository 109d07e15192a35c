/*
 * What a blocked system call waits for, in words. Reads /proc and the process's memory; the thread
 * is neither stopped nor woken.
 */
#ifndef SPROF_ATTACH_WAIT_OBJECT_H
#define SPROF_ATTACH_WAIT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/sockets.h"
#include "attach/target.h"
#include "attach/wait-call.h"

enum {
	SPROF_OBJECT_TEXT = 512,
	SPROF_OBJECT_PIPES = 64,
};

/* What is remembered between waits. Zeroed is empty and valid. */
struct sprof_objects {
	const struct sprof_target *target; /* whose processes may be at the other end */
	struct sprof_sockets sockets;
	struct sprof_object_pipe {
		uint64_t inode, found_ns;
		bool writes;
		pid_t other; /* 0: none of ours */
	} pipes[SPROF_OBJECT_PIPES];
};

void sprof_objects_finish(struct sprof_objects *objects);

/* Writes the object of a call with these arguments; "" when there is nothing to say. */
void sprof_objects_describe(struct sprof_objects *objects, pid_t pid,
	const struct sprof_wait_call *call, const uint64_t arguments[6], char *buffer, size_t size);

/* "100 ms", "1.5 s": two digits, so that waits of about the same length are the same. */
void sprof_object_duration(uint64_t ns, char *buffer, size_t size);

#endif
