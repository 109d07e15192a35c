/*
 * Programs under trace that trace others themselves. A thread has one tracer, so what they want to
 * trace is let go of before their call of ptrace(2) takes effect.
 *
 * Their calls are seen at syscall-stops, which take time; so only programs that import ptrace() are
 * watched, and only where a debugger takes its tracee: a thread that has just started a process, for its
 * next calls, and that process, until it executes a program.
 */
#ifndef SPROF_ATTACH_PTRACE_WATCH_H
#define SPROF_ATTACH_PTRACE_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "attach/target-internal.h"

/* A process is born: watches its first thread if the program of its parent imports ptrace(). NULL: not ours. */
void sprof_watch_child(struct sprof_process *parent, struct sprof_thread *child);
/* The same for the thread that started it, at the event that tells of it. */
void sprof_watch_creator(struct sprof_thread *creator);

enum sprof_watched {
	SPROF_WATCHED_GOES_ON,
	SPROF_WATCHED_LEAVES, /* it will be another one's tracee, and is to be let go of where it stands */
	SPROF_WATCHED_HELD,   /* stands until the thread that it wants to trace is let go of */
};

/* What follows from a syscall-stop. */
enum sprof_watched sprof_watch_call(struct sprof_target *target, struct sprof_thread *thread);

/* Keeps a stopped thread where it is until the other one is no tracee of ours. */
void sprof_watch_hold(struct sprof_target *target, struct sprof_thread *thread, pid_t other);
/* This one is none any longer: those who were held for it go on. */
void sprof_watch_let_go(struct sprof_target *target, pid_t gone);

#endif
