/*
 * Reading another process's memory: one system call, no cache, no policy.
 */
#include "attach/proc/memory.h"

#include <assert.h>
#include <sys/uio.h>

size_t sprof_memory_read(pid_t pid, uint64_t address, void *buffer, size_t size)
{
	struct iovec local = {.iov_base = buffer, .iov_len = size};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
	ssize_t copied = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return copied < 0 ? 0 : (size_t)copied;
}

void sprof_memory_read_pieces(pid_t pid, struct sprof_memory_piece *pieces, size_t count)
{
	struct iovec local[SPROF_MEMORY_MOST_PIECES], remote[SPROF_MEMORY_MOST_PIECES];
	ssize_t copied;
	size_t rest;

	assert(count <= SPROF_MEMORY_MOST_PIECES);
	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		local[i] = (struct iovec){pieces[i].buffer, pieces[i].size};
		remote[i] = (struct iovec){(void *)(uintptr_t)pieces[i].address, pieces[i].size};
	}
	copied = process_vm_readv(pid, local, count, remote, count, 0);
	rest = copied < 0 ? 0 : (size_t)copied;
	for (size_t i = 0; i < count; i++) {
		pieces[i].got = rest < pieces[i].size ? rest : pieces[i].size;
		rest -= pieces[i].got;
	}
}
