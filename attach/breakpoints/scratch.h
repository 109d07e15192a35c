/* Maps memory for code into a target, by a system call of the target's own thread. */
#ifndef SPROF_ATTACH_BREAKPOINTS_SCRATCH_H
#define SPROF_ATTACH_BREAKPOINTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/thread.h"
#include "base/attributes.h"

/*
 * The thread is in a ptrace-stop, not at a system call. It maps `size` readable and executable
 * bytes, as near to an address as possible, and returns to its place. Signals are blocked
 * meanwhile. Returns false if a seccomp filter is active, the kernel refused, or the thread is
 * gone.
 */
SPROF_MUST_USE bool sprof_scratch_map(
	struct sprof_thread *thread, uint64_t near, size_t size, uint64_t *ret_address);

#endif
