/*
 * Reads the system call of a blocked thread. Does not handle calls of 32-bit programs: the file
 * does not identify them.
 */
#include "events/syscalls/sleeping-call.h"

#include <string.h>

bool sprof_call_find(struct sprof_thread *thread, uint64_t now_ns, struct open_call *ret)
{
	struct sprof_proc_syscall call;

	if (!sprof_thread_read_syscall(thread, &call) || call.kind != SPROF_PROC_SYSCALL_INSIDE)
		return false;
	*ret = (struct open_call){
		.arch = sprof_call_native_arch(),
		.number = call.number,
		.sp = call.sp,
		.begin_ns = now_ns,
		.was_before = true,
	};
	memcpy(ret->arguments, call.arguments, sizeof(ret->arguments));
	return true;
}
