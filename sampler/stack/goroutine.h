/*
 * Which goroutine a thread of a Go program runs, and where the thread left its own stack.
 */
#ifndef SPROF_SAMPLER_STACK_GOROUTINE_H
#define SPROF_SAMPLER_STACK_GOROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/regs/regs.h"
#include "unwind/snapshot.h"

struct sprof_go_runtime;
struct sprof_thread;
struct sprof_world;

struct goroutine_reading {
	const struct sprof_world *world;
	const struct sprof_thread *thread;
	const struct sprof_go_runtime *runtime; /* of its program; NULL: none that is known */
	pid_t own_tid;                          /* its id inside its process's pid namespace */
	bool wants_system; /* reads also where the thread's own stack was left last */
};

/*
 * Makes up to five small reads. The thread must stand still or sleep. Returns false if it is not a
 * Go thread, or if that is not known.
 */
bool sprof_goroutine_read(const struct goroutine_reading *reading, const struct sprof_regs *regs,
	struct sprof_goroutine *ret);

/*
 * The thread pointer of a sleeper that has not stopped yet: where libc puts its target, near the
 * end of the thread's stack or, for the first thread, in data of its own. 0: not found.
 */
uint64_t sprof_goroutine_find_thread(const struct goroutine_reading *reading, uint64_t sp);

/* The lowest goroutine stack address that a walk from another stack needs. 0: it needs none. */
uint64_t sprof_goroutine_left_at(const struct sprof_goroutine *goroutine);

#endif
