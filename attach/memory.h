/*
 * Reading another process's memory.
 */
#ifndef SPROF_ATTACH_MEMORY_H
#define SPROF_ATTACH_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Copies up to `size` bytes at `address` with one process_vm_readv(2). The process need not be stopped.
 * Returns how many bytes were copied; fewer than `size` when a page on the way is not mapped, 0 when
 * the process is gone.
 */
size_t sprof_memory_read(pid_t pid, uint64_t address, void *buffer, size_t size);

#endif
