/*
 * Recovers from a tracing thread that hangs in a read of the target's memory.
 *
 * A page that userfaultfd(2) or a FUSE file system provides does not arrive while the threads that
 * would provide it are stopped, and only SIGKILL ends the read. So another thread watches. It forks
 * a copy of sprof, which writes the recording, and executes sprof again: that ends the tracing
 * thread, so the program continues, and this process remains the program's parent.
 */
#pragma once

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/target.h"
#include "base/error.h"

/* This process continues as sprof --after-hang COPY PROGRAM. */
#define SPROF_HANG_WORD "--after-hang"

/* The watched thread. `target` is set before its id, which is 0 until then. */
struct sprof_hang_watched {
	const struct sprof_target *target;
	uint64_t begin_ns;
	_Atomic pid_t tid;
};

/* Waits for the thread's semaphore. Returns false if the thread hangs forever. */
bool sprof_hang_wait(const struct sprof_hang_watched *watched, sem_t *word);

/*
 * Returns in the copy, which has only this thread; the error describes what happened. `program`:
 * the process to wait for; 0: none.
 */
void sprof_hang_end(
	const struct sprof_hang_watched *watched, pid_t program, struct sprof_error *err);

/* `words` follow SPROF_HANG_WORD. Waits for both processes and returns the exit code. */
int sprof_hang_finish(char *const words[]);
