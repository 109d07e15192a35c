/*
 * Stops of system calls, by PTRACE_GET_SYSCALL_INFO (ptrace(2), since Linux 5.3). Does not match
 * the stops of a call.
 */
#include "attach/calls/stop.h"

#include <string.h>
#include <sys/ptrace.h>

#include "attach/regs/regs.h"
#include "attach/resume.h"

static void read_entry(const struct __ptrace_syscall_info *info, enum sprof_call_stop stop,
	struct sprof_call_state *ret)
{
	bool by_filter = stop == SPROF_CALL_SECCOMP;

	ret->number = (int64_t)(by_filter ? info->seccomp.nr : info->entry.nr);
	memcpy(ret->arguments, by_filter ? info->seccomp.args : info->entry.args,
		sizeof(ret->arguments));
	ret->filter_value = by_filter ? info->seccomp.ret_data : 0;
}

bool sprof_thread_read_call(const struct sprof_thread *thread, struct sprof_call_state *ret)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->tid, sizeof(info), &info) <= 0)
		return false;
	*ret = (struct sprof_call_state){
		.stop = sprof_stop_call(&info),
		.arch = info.arch,
		.sp = info.stack_pointer,
		.pc = info.instruction_pointer,
	};
	if (ret->stop == SPROF_CALL_EXIT) {
		ret->result = info.exit.rval;
		ret->is_error = info.exit.is_error;
	} else if (ret->stop != SPROF_CALL_NONE) {
		read_entry(&info, ret->stop, ret);
	}
	return true;
}

int64_t sprof_thread_left_call(const struct sprof_thread *thread)
{
	struct sprof_regs regs;

	return sprof_regs_read(thread->tid, &regs) ? regs.system_call : -1;
}

void sprof_thread_resume_call(struct sprof_thread *thread, enum sprof_resumption how)
{
	bool again = thread->interrupt_again;

	thread->interrupt_again = false;
	/* The watch for ptrace() needs every stop. */
	if (!thread->watched)
		thread->resumption = how;
	if (again)
		sprof_thread_resume_to_stop(thread);
	else
		sprof_thread_resume(thread);
}
