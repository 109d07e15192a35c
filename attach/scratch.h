/*
 * Memory for code that sprof lets a target run: mapped into it by a system call of its own thread.
 */
#ifndef SPROF_ATTACH_SCRATCH_H
#define SPROF_ATTACH_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/thread.h"
#include "base/attributes.h"

/*
 * The thread is in a ptrace-stop and not at a system call. It maps `size` bytes that can be read and
 * run, as near to an address as there is room, and stands where it stood. Its signals wait meanwhile.
 * False: a filter of system calls is in force, or the kernel refused, or the thread is gone.
 */
SPROF_MUST_USE bool sprof_scratch_map(
	struct sprof_thread *thread, uint64_t near, size_t size, uint64_t *ret_address);

#endif
