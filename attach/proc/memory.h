/* Reads another process's memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

/*
 * Copies up to `size` bytes at `address`. The process need not be stopped. Returns the number of
 * bytes copied: fewer than `size` if a page in the range is not mapped, 0 if the process is gone.
 */
SPROF_MUST_USE size_t sprof_memory_read(pid_t pid, uint64_t address, void *buffer, size_t size);

/* The same, but only with process_vm_readv(2); sets errno if nothing was copied. */
SPROF_MUST_USE size_t sprof_memory_read_by_call(
	pid_t pid, uint64_t address, void *buffer, size_t size);

/* Whether errno says that the kernel or a seccomp filter denied the call. */
bool sprof_memory_is_denied(void);

/* A piece of memory, and the destination of its copy. */
struct sprof_memory_piece {
	uint64_t address;
	void *buffer;
	size_t size;
	size_t got; /* number of bytes copied */
};

enum { SPROF_MEMORY_MOST_PIECES = 512 };

/*
 * Copies several pieces with one process_vm_readv(2), at most SPROF_MEMORY_MOST_PIECES. The kernel
 * stops at the first unreadable piece: `got` is 0 for all later ones.
 */
void sprof_memory_read_pieces(pid_t pid, struct sprof_memory_piece *pieces, size_t count);
