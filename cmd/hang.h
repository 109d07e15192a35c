/*
 * The end of a tracing thread that hangs in a read of the target's memory.
 *
 * A page that userfaultfd(2) or a FUSE file system has to bring does not come while the threads stand that
 * would bring it, and the kernel lets the reader end by SIGKILL only. So another thread watches. It
 * leaves what was recorded to a copy of this process, which writes it, and executes sprof anew: that ends
 * the tracing thread, so that the program goes on, and this process stays who the program's parent is.
 */
#ifndef SPROF_CMD_HANG_H
#define SPROF_CMD_HANG_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/target.h"
#include "base/error.h"

/* sprof --after-hang COPY PROGRAM is what this process goes on as. */
#define SPROF_HANG_WORD "--after-hang"

/* The thread that is watched; the target is set before its id, which is 0 until then. */
struct sprof_hang_watched {
	const struct sprof_target *target;
	uint64_t begin_ns;
	_Atomic pid_t tid;
};

/* Waits for the thread's word. False: it hangs, and will for ever. */
bool sprof_hang_wait(const struct sprof_hang_watched *watched, sem_t *word);

/*
 * Returns in the copy, which has this thread alone; the error says what has happened. `program`: the
 * process to wait for, 0 for none.
 */
void sprof_hang_end(
	const struct sprof_hang_watched *watched, pid_t program, struct sprof_error *err);

/* With the words behind SPROF_HANG_WORD: waits for both; returns the exit code. */
int sprof_hang_finish(char *const words[]);

#endif
