/*
 * Reading another process's memory: one system call, no cache, no policy.
 */
#include "attach/memory.h"

#include <sys/uio.h>

size_t sprof_memory_read(pid_t pid, uint64_t address, void *buffer, size_t size)
{
	struct iovec local = {.iov_base = buffer, .iov_len = size};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
	ssize_t copied = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return copied < 0 ? 0 : (size_t)copied;
}
