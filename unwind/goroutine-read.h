/*
 * Which goroutine a thread of a Go program runs, and where the thread left its own stack.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/proc/maps.h"
#include "attach/regs/regs.h"
#include "unwind/goroutine.h"

struct sprof_goroutine_reading {
	void *data;
	/* returns the number of bytes that could be read */
	size_t (*read_memory)(void *data, uint64_t address, void *buffer, size_t size);
	const struct sprof_go_runtime *runtime; /* of its program; NULL: unknown */
	pid_t own_tid;                          /* the thread's id inside its pid namespace */
	uint64_t thread_pointer;                /* 0: not known */
	bool wants_system; /* reads also where the thread's own stack was left last */
};

/*
 * Makes up to five small reads. The thread must be stopped or asleep. Returns false if it is not a
 * Go thread, or if that is unknown.
 */
bool sprof_goroutine_read(const struct sprof_goroutine_reading *reading,
	const struct sprof_regs *regs, struct sprof_goroutine *ret);

/*
 * The thread pointer of a sleeping thread that has not stopped yet. libc puts its target near the
 * end of the thread's stack or, for the first thread, into separate memory. 0: not found.
 */
uint64_t sprof_goroutine_find_thread(const struct sprof_goroutine_reading *reading,
	const struct sprof_maps *maps, uint64_t sp, bool is_first);

/* The lowest goroutine stack address that a walk from another stack needs. 0: it needs none. */
uint64_t sprof_goroutine_left_at(const struct sprof_goroutine *goroutine);
