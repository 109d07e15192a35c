/*
 * Access to this process by the system call that sprof reads others with: what is not mapped is refused.
 */
#include "tests/unit/blocked/own-process.h"

#include "attach/proc/memory.h"

static size_t read_memory(void *data, pid_t tid, uint64_t address, void *buffer, size_t size)
{
	return sprof_memory_read(tid, address, buffer, size);
}

static pid_t process_at(void *data, size_t index)
{
	return 0;
}

const struct sprof_blocked_access own_process = {NULL, read_memory, process_at};
