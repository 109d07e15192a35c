/*
 * What a blocked system call waits for, as text. Reads /proc and the process's memory; neither
 * stops nor wakes the thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "blocked/access.h"
#include "blocked/call.h"
#include "blocked/sockets.h"

enum {
	SPROF_OBJECT_TEXT = 512,
	SPROF_OBJECT_PIPES = 64,
};

/* Cached between waits. Valid when everything except `access` is zero. */
struct sprof_objects {
	const struct sprof_blocked_access *access;
	struct sprof_sockets sockets;
	struct sprof_object_pipe {
		uint64_t inode, found_ns;
		bool writes;
		pid_t other; /* 0: no traced process */
	} pipes[SPROF_OBJECT_PIPES];
};

void sprof_objects_finish(struct sprof_objects *objects);

/* Writes the object of a call with these arguments; "" if none. */
void sprof_objects_describe(struct sprof_objects *objects, pid_t pid,
	const struct sprof_blocked_call *call, const uint64_t arguments[6], char *buffer,
	size_t size);
