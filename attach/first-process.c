/*
 * The kernel lets no signal end the first process of a pid namespace, except a fault of an untraced
 * one (kernel/signal.c, force_sig_info_to_task). A traced one continues after the signal and
 * repeats the fault for ever. Does not handle faults that have a handler.
 */
#include "attach/first-process.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "attach/regs/regs.h"
#include "base/proc-status.h"

static bool is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
		signal == SIGTRAP || signal == SIGSYS;
}

static bool is_first(struct sprof_process *process)
{
	char text[SPROF_PROC_STATUS_MAX];

	if (process->rank == SPROF_PROCESS_RANK_UNKNOWN &&
		sprof_proc_status_read(process->pid, 0, text, sizeof(text)) > 0)
		process->rank = sprof_proc_status_inner_id(text, "NSpid") == 1
			? SPROF_PROCESS_FIRST
			: SPROF_PROCESS_LATER;
	return process->rank == SPROF_PROCESS_FIRST;
}

/* How far the pc is behind the instruction: after most faults, it is still there. */
static uint64_t size_of_fault(pid_t tid, const siginfo_t *info, const struct sprof_regs *regs)
{
	if (info->si_signo == SIGSYS)
		return SPROF_CALL_INSTRUCTION;
	return info->si_signo == SIGTRAP && sprof_stop_trap(info) == SPROF_TRAP_BREAKPOINT
		? sprof_regs_trap_size(tid, regs)
		: 0;
}

static void step_back(pid_t tid, const siginfo_t *info)
{
	struct sprof_regs regs;

	if (sprof_regs_read(tid, &regs))
		sprof_regs_move(tid, regs.values[SPROF_REG_PC] - size_of_fault(tid, info, &regs));
}

bool sprof_first_process_must_leave(struct sprof_thread *thread, struct sprof_stop stop)
{
	siginfo_t info;

	if (stop.kind != SPROF_STOP_SIGNAL || !is_fault(stop.value) || !is_first(thread->process) ||
		ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &info) || info.si_code <= 0 ||
		sprof_proc_has_handler(thread->tid, stop.value))
		return false;
	step_back(thread->tid, &info);
	return true;
}
