/*
 * Reading another process's memory: one system call, or the file in /proc where a seccomp filter
 * denies that call, as Docker's did up to 19.03. No cache.
 */
#include "attach/proc/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/proc.h"

size_t sprof_memory_read_by_call(pid_t pid, uint64_t address, void *buffer, size_t size)
{
	struct iovec local = {.iov_base = buffer, .iov_len = size};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
	ssize_t copied = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return copied < 0 ? 0 : (size_t)copied;
}

bool sprof_memory_is_denied(void)
{
	return errno == EPERM || errno == ENOSYS;
}

size_t sprof_memory_read(pid_t pid, uint64_t address, void *buffer, size_t size)
{
	SPROF_AUTO_CLOSE int fd = -1;
	size_t copied = sprof_memory_read_by_call(pid, address, buffer, size);
	ssize_t got;

	if (copied || !size || !sprof_memory_is_denied())
		return copied;
	fd = open(sprof_proc_path(pid, 0, "mem").text, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : pread(fd, buffer, size, (off_t)address);
	return got < 0 ? 0 : (size_t)got;
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
