/*
 * Programs that have just been executed, until their loader has mapped the libraries that they are
 * linked with: their threads stop at system calls, and none of their own code has run yet.
 */
#ifndef SPROF_EVENTS_LOADING_H
#define SPROF_EVENTS_LOADING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/event.h"
#include "attach/thread.h"
#include "base/attributes.h"

/* Zeroed is empty and valid. */
struct sprof_loading {
	struct sprof_loading_program {
		pid_t tid;
		uint64_t start, end; /* the loader's own code */
	} * items;
	size_t count, capacity;
};

/*
 * The thread is stopped, and its program has not run yet. Reads where its loader is, and makes it stop
 * at its calls once it is resumed. A program without a loader just goes on. False: no memory.
 */
SPROF_MUST_USE bool sprof_loading_begin(struct sprof_loading *loading, struct sprof_thread *thread);

/*
 * A HELD_CALL. Sets how the thread goes on. True: something was mapped that may hold code, or the
 * loader is done: look what is there.
 */
SPROF_MUST_USE bool sprof_loading_take(
	struct sprof_loading *loading, const struct sprof_event *event);

/* A thread has ended. */
void sprof_loading_end(struct sprof_loading *loading, pid_t tid);

void sprof_loading_finish(struct sprof_loading *loading);

#endif
