/* Access to the traced processes, provided by the caller of blocked/. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sprof_blocked_access {
	void *data; /* first argument of both functions */
	/*
	 * Copies up to `size` bytes of memory at `address` in the process of this thread. Returns
	 * how many were copied: fewer if a page is missing, 0 if the process is gone.
	 */
	size_t (*read_memory)(void *data, pid_t tid, uint64_t address, void *buffer, size_t size);
	/* The processes that may be at the other end of a pipe, by index from 0. Returns 0 at the
	 * end. */
	pid_t (*process_at)(void *data, size_t index);
};
