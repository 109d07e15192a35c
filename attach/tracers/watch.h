/*
 * Traced programs that trace others. A thread can have only one tracer, so sprof detaches the
 * threads that such a program wants to trace before its ptrace(2) call takes effect.
 *
 * Syscall-stops show these calls but cost time. So only programs that import ptrace() are watched,
 * and only where a debugger takes its tracee: a thread that has just started a process, for its
 * next calls, and the new process until it execs.
 *
 * LeakSanitizer and AddressSanitizer look for leaks at the end of a program: a child that is hidden
 * from tracers (CLONE_UNTRACED, no report) traces all threads. So a program with one of them makes
 * syscall-stops all its life, and the whole process is detached at that call. It is not seized
 * again: nearly all such checks are the last thing that a process does.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "attach/target-internal.h"

/* For a new process: watches its first thread if its parent's program imports ptrace(). `parent`
 * NULL: not a traced process. */
void sprof_watch_child(struct sprof_process *parent, struct sprof_thread *child);
/* Watches the thread that created the process, at the event that reports it. */
void sprof_watch_creator(struct sprof_thread *creator);

/*
 * Called at a program's first instruction. Watches all system calls of a program with a leak
 * checker, and detaches the whole process before it creates the hidden child.
 */
void sprof_watch_program(struct sprof_thread *thread);
/*
 * Called at an attach. Threads with calls that a stop would disturb are watched from their next
 * stop on.
 */
void sprof_watch_running(struct sprof_target *target, pid_t pid);
/* For a new thread, of this process or with a copy of its parent's memory. */
void sprof_watch_newborn(struct sprof_process *parent, struct sprof_thread *thread);

/* Ends the thread's syscall-stops and single steps. */
void sprof_watch_end(struct sprof_thread *thread);

enum sprof_watched {
	SPROF_WATCHED_GOES_ON,
	/* another tracer wants it: detach it at this stop */
	SPROF_WATCHED_LEAVES,
	SPROF_WATCHED_HELD, /* stays stopped until the thread that it wants to trace is detached */
};

/* Decides what to do at a syscall-stop. */
enum sprof_watched sprof_watch_call(struct sprof_target *target, struct sprof_thread *thread);

/* Keeps a stopped thread stopped until the other thread is detached. */
void sprof_watch_hold(struct sprof_target *target, struct sprof_thread *thread, pid_t other);
/* This thread was detached: threads held for it continue. */
void sprof_watch_let_go(struct sprof_target *target, pid_t gone);
