/*
 * Wait statuses of tracees, classified. A pure function: what to do about a stop is target.c's matter.
 */
#ifndef SPROF_ATTACH_STOP_H
#define SPROF_ATTACH_STOP_H

/* The kinds of ptrace-stop that a seized tracee can report, after ptrace(2), "Stopped states". */
enum sprof_stop_kind {
	SPROF_STOP_EXITED,      /* value: the exit status */
	SPROF_STOP_KILLED,      /* value: the signal */
	SPROF_STOP_SIGNAL,      /* signal-delivery-stop; value: the signal, to be passed on */
	SPROF_STOP_GROUP,       /* group-stop; value: the signal that caused it; goes on with PTRACE_LISTEN */
	SPROF_STOP_TRAP,        /* PTRACE_EVENT_STOP: an interrupt of ours, the first stop of a new thread, or SIGCONT */
	SPROF_STOP_NEW_TASK,    /* clone, fork or vfork; the event message is the new thread id */
	SPROF_STOP_SYSCALL,     /* syscall-stop, at the entry or the exit (PTRACE_O_TRACESYSGOOD) */
	SPROF_STOP_EXEC,        /* the event message is the thread id before */
	SPROF_STOP_OTHER_EVENT, /* an event that was not asked for: just go on */
};

struct sprof_stop {
	enum sprof_stop_kind kind;
	int value;
};

/* Classifies a status of waitpid(2). */
struct sprof_stop sprof_stop_classify(int wait_status);

#endif
