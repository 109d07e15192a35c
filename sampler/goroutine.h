/*
 * Which goroutine a thread of a Go program runs, and from where it has left its stack.
 */
#ifndef SPROF_SAMPLER_GOROUTINE_H
#define SPROF_SAMPLER_GOROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/regs.h"
#include "unwind/snapshot.h"

struct sprof_thread;

/*
 * Up to five small reads, of a thread that stands still or sleeps.
 * False: it is no thread of Go's, or that is not known.
 */
bool sprof_goroutine_read(const struct sprof_thread *thread, const struct sprof_regs *regs,
	struct sprof_goroutine *ret);

/*
 * The thread pointer of a sleeper that has not stopped yet, where libc has put it: at the end of the thread's stack. 0:
 * not found.
 */
uint64_t sprof_goroutine_find_thread(const struct sprof_thread *thread, uint64_t sp);

/* From where on the goroutine's stack is needed by a walk that begins on another one. 0: not at all. */
uint64_t sprof_goroutine_left_at(const struct sprof_goroutine *goroutine);

#endif
