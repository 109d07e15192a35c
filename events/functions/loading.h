/*
 * Programs that have just been executed, until the dynamic loader has mapped their libraries. Their
 * threads stop at each system call; none of the program's own code has run yet.
 */
#pragma once

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
		uint64_t start, end; /* address range of the loader's code */
	} * items;
	size_t count, capacity;
};

/*
 * The thread is stopped after exec. Finds the loader and makes the thread stop at its system calls
 * once resumed. Does nothing for a program without a loader. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_loading_begin(struct sprof_loading *loading, struct sprof_thread *thread);

/*
 * Handles a HELD_CALL report and sets how to resume the thread. Returns true if executable memory
 * was mapped, or the loader has finished: check the mappings.
 */
SPROF_MUST_USE bool sprof_loading_take(
	struct sprof_loading *loading, const struct sprof_event *event);

void sprof_loading_end(struct sprof_loading *loading, pid_t tid);

void sprof_loading_finish(struct sprof_loading *loading);
