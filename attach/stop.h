/*
 * Classifies wait statuses and other descriptions of stops. Pure functions. dispatch.c reacts to
 * stops.
 */
#pragma once

#include <signal.h>

struct __ptrace_syscall_info;

/* The kinds of ptrace-stop that a seized tracee can report, after ptrace(2), "Stopped states". */
enum sprof_stop_kind {
	SPROF_STOP_EXITED, /* value: the exit status */
	SPROF_STOP_KILLED, /* value: the signal */
	/* signal-delivery-stop; value: the signal to deliver. SIGTRAP: see sprof_stop_trap() */
	SPROF_STOP_SIGNAL,
	SPROF_STOP_GROUP, /* group-stop; value: its signal; resume with PTRACE_LISTEN */
	/* PTRACE_EVENT_STOP: sprof's interrupt, the first stop of a new thread, or SIGCONT */
	SPROF_STOP_TRAP,
	SPROF_STOP_NEW_TASK, /* clone, fork or vfork; the event message is the new tid */
	SPROF_STOP_SYSCALL,  /* at a system call (PTRACE_O_TRACESYSGOOD, PTRACE_EVENT_SECCOMP); see
				sprof_stop_call() */
	SPROF_STOP_EXEC,     /* the event message is the former tid */
	SPROF_STOP_OTHER_EVENT, /* an event that was not requested: just resume */
};

struct sprof_stop {
	enum sprof_stop_kind kind;
	int value;
};

/* Classifies a status of waitpid(2). */
struct sprof_stop sprof_stop_classify(int wait_status);

/* The position of a SPROF_STOP_SYSCALL in the system call. */
enum sprof_call_stop {
	SPROF_CALL_NONE, /* the kernel does not say */
	SPROF_CALL_ENTRY,
	SPROF_CALL_EXIT,
	SPROF_CALL_SECCOMP, /* at the entry, for a filter with SECCOMP_RET_TRACE */
};

/* From PTRACE_GET_SYSCALL_INFO (ptrace(2), since Linux 5.3). */
enum sprof_call_stop sprof_stop_call(const struct __ptrace_syscall_info *info);

/* The cause of a SIGTRAP. */
enum sprof_trap {
	SPROF_TRAP_BREAKPOINT, /* a breakpoint instruction: int3, brk */
	SPROF_TRAP_WATCHPOINT, /* a debug register */
	SPROF_TRAP_STEP,       /* after a single step or branch */
	SPROF_TRAP_SYSCALL,    /* a syscall-stop */
	SPROF_TRAP_EXEC,       /* PTRACE_EVENT_EXEC */
	SPROF_TRAP_EVENT,      /* another event of ptrace */
	SPROF_TRAP_KERNEL,     /* something else in the kernel, such as a perf event */
	SPROF_TRAP_SENT,       /* sent by a process: kill(2), tgkill(2), sigqueue(3) */
};

/* From PTRACE_GETSIGINFO at a stop with SIGTRAP. */
enum sprof_trap sprof_stop_trap(const siginfo_t *info);
