/*
 * Classifies stops by the encodings of ptrace(2), waitpid(2) and sigaction(2). Stateless: does not
 * know what was requested.
 */
#include "attach/stop.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

static struct sprof_stop classify_event(int event, int signal)
{
	struct sprof_stop stop = {.kind = SPROF_STOP_OTHER_EVENT, .value = event};

	switch (event) {
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		stop.kind = SPROF_STOP_NEW_TASK;
		break;
	case PTRACE_EVENT_EXEC:
		stop.kind = SPROF_STOP_EXEC;
		break;
	case PTRACE_EVENT_SECCOMP:
		stop.kind = SPROF_STOP_SYSCALL;
		break;
	case PTRACE_EVENT_STOP:
		/* After SEIZE a group-stop is also an event; its signal distinguishes it from a
		 * trap. */
		stop.kind = signal == SIGTRAP ? SPROF_STOP_TRAP : SPROF_STOP_GROUP;
		stop.value = signal;
		break;
	default:
		break;
	}
	return stop;
}

struct sprof_stop sprof_stop_classify(int wait_status)
{
	if (WIFEXITED(wait_status))
		return (struct sprof_stop){SPROF_STOP_EXITED, WEXITSTATUS(wait_status)};
	if (WIFSIGNALED(wait_status))
		return (struct sprof_stop){SPROF_STOP_KILLED, WTERMSIG(wait_status)};
	if (wait_status >> 16)
		return classify_event(wait_status >> 16, WSTOPSIG(wait_status));
	if (WSTOPSIG(wait_status) == (SIGTRAP | 0x80))
		return (struct sprof_stop){SPROF_STOP_SYSCALL, 0};
	return (struct sprof_stop){SPROF_STOP_SIGNAL, WSTOPSIG(wait_status)};
}

enum sprof_call_stop sprof_stop_call(const struct __ptrace_syscall_info *info)
{
	switch (info->op) {
	case PTRACE_SYSCALL_INFO_ENTRY:
		return SPROF_CALL_ENTRY;
	case PTRACE_SYSCALL_INFO_EXIT:
		return SPROF_CALL_EXIT;
	case PTRACE_SYSCALL_INFO_SECCOMP:
		return SPROF_CALL_SECCOMP;
	default:
		return SPROF_CALL_NONE;
	}
}

/*
 * The code of an event is SIGTRAP with the event in the next byte. The code of a syscall-stop is
 * SIGTRAP with or without bit 7 (ptrace(2)).
 */
static enum sprof_trap trap_of_ptrace(int code)
{
	int event = code >> 8;

	if (!event)
		return SPROF_TRAP_SYSCALL;
	return event == PTRACE_EVENT_EXEC ? SPROF_TRAP_EXEC : SPROF_TRAP_EVENT;
}

/*
 * x86 uses SI_KERNEL for int3 (arch/x86/kernel/traps.c, do_int3_user), and TRAP_BRKPT for a step
 * that ends after a system call (arch/x86/include/asm/ptrace.h, user_single_step_report).
 */
static enum sprof_trap trap_of_breakpoint(int code)
{
#if defined(__x86_64__)
	return code == SI_KERNEL ? SPROF_TRAP_BREAKPOINT : SPROF_TRAP_STEP;
#else
	return code == SI_KERNEL ? SPROF_TRAP_KERNEL : SPROF_TRAP_BREAKPOINT;
#endif
}

enum sprof_trap sprof_stop_trap(const siginfo_t *info)
{
	if (info->si_code <= 0)
		return SPROF_TRAP_SENT;
	/* TRAP_UNK has SIGTRAP's number (asm-generic/siginfo.h); x86 and arm64 don't send it. */
	if ((info->si_code & 0x7f) == SIGTRAP)
		return trap_of_ptrace(info->si_code);
	switch (info->si_code) {
	case SI_KERNEL:
	case TRAP_BRKPT:
		return trap_of_breakpoint(info->si_code);
	case TRAP_TRACE:
	case TRAP_BRANCH:
		return SPROF_TRAP_STEP;
	case TRAP_HWBKPT:
		return SPROF_TRAP_WATCHPOINT;
	default:
		return SPROF_TRAP_KERNEL;
	}
}
