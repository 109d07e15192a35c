/*
 * Reading another process's memory.
 */
#ifndef SPROF_ATTACH_MEMORY_H
#define SPROF_ATTACH_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

/*
 * Copies up to `size` bytes at `address` with one process_vm_readv(2). The process need not be
 * stopped. Returns how many bytes were copied: fewer than `size` if a page in between is not
 * mapped, 0 if the process is gone.
 */
SPROF_MUST_USE size_t sprof_memory_read(pid_t pid, uint64_t address, void *buffer, size_t size);

/* A piece of memory, and where its copy goes. */
struct sprof_memory_piece {
	uint64_t address;
	void *buffer;
	size_t size;
	size_t got; /* how many bytes were copied */
};

enum { SPROF_MEMORY_MOST_PIECES = 512 };

/*
 * Copies several pieces with one process_vm_readv(2), at most SPROF_MEMORY_MOST_PIECES. The kernel
 * stops at the first that it can't copy: the pieces after it have got nothing.
 */
void sprof_memory_read_pieces(pid_t pid, struct sprof_memory_piece *pieces, size_t count);

#endif
