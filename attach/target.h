/*
 * The traced processes and their threads: launch, seize, wait, stop, go on.
 *
 * Uses PTRACE_SEIZE only (never ATTACH, never SIGSTOP). Everything that must be passed through
 * (signals, group-stops, new threads and processes, exec) is handled inside wait(); the caller sees
 * only what it asked for and what it must know.
 *
 * Detaching is the end of the thread that created the target: the kernel then detaches every tracee
 * without stopping it, delivers a signal that was just being reported, and leaves a stopped process
 * stopped (ptrace(2), "Attaching and detaching"; kernel/ptrace.c, exit_ptrace and __ptrace_unlink).
 * So no system call of the target is interrupted at the end, and every end of sprof, also its death,
 * is the same end. All functions must be called from that one thread.
 */
#ifndef SPROF_ATTACH_TARGET_H
#define SPROF_ATTACH_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/thread.h"
#include "base/error.h"

struct sprof_target;

struct sprof_target_options {
	bool follow_children; /* fork, vfork and clone of processes */
	sigset_t control;     /* signals that wait() hands to the caller; blocked by the caller, with SIGCHLD */
	sigset_t child_mask;  /* the signal mask that a launched program starts with */
};

/* False: no memory, or this machine lacks what attach/requirements.h says; nothing has been touched. */
bool sprof_target_create(const struct sprof_target_options *options, struct sprof_target **ret,
	struct sprof_error *err);
/* Frees the memory; NULL is accepted. The tracees stay attached until the thread ends. */
void sprof_target_destroy(struct sprof_target *target);

struct sprof_launch {
	char *const *arguments;   /* [0] is searched in PATH; NULL at the end */
	char *const *environment;
	bool stdout_to_stderr;
	const sigset_t *ignored; /* signals that it starts with ignored, as the caller has handlers; NULL: none */
};

/*
 * Starts a program and leaves it stopped at its first instruction: resume it. What it inherits is the
 * caller's own, except the signal mask, the ignored signals and stdout.
 */
bool sprof_target_launch(
	struct sprof_target *target, const struct sprof_launch *launch, struct sprof_error *err);

/* Seizes every thread of a running process, also those that are born meanwhile. None is stopped. */
bool sprof_target_attach(struct sprof_target *target, pid_t pid, struct sprof_error *err);

/* The launched or the attached process. */
pid_t sprof_target_pid(const struct sprof_target *target);

/* Whether the launched process has ended, and its status as waitpid(2) encodes it. */
bool sprof_target_ended(const struct sprof_target *target, int *ret_wait_status);

/* All threads in no order, valid until the next wait() or release(). New ones are at the end. */
struct sprof_thread **sprof_target_threads(const struct sprof_target *target, size_t *ret_count);

/* How many threads and processes have been seen so far. */
uint32_t sprof_target_threads_seen(const struct sprof_target *target);
uint32_t sprof_target_processes_seen(const struct sprof_target *target);
/* Those that there are now, in no order, valid as long as the threads are. */
struct sprof_process **sprof_target_processes(const struct sprof_target *target, size_t *ret_count);
uint32_t sprof_target_process_count(const struct sprof_target *target);

/* The name of the first program to which a thread was left, because it traces that itself; NULL: none. */
const char *sprof_target_tracer(const struct sprof_target *target);

/* The name of a program of 32 bits, which was let go of at its first instruction; NULL: none. */
const char *sprof_target_narrow(const struct sprof_target *target);

/* Whether the launched process was let go of, because it executed such a program. */
bool sprof_target_left(const struct sprof_target *target);

/* The name of a program that has not got the rights of its file, because it is traced; NULL: none. */
const char *sprof_target_unprivileged(const struct sprof_target *target);

enum sprof_event_kind {
	SPROF_EVENT_TIMEOUT,
	SPROF_EVENT_SIGNAL,  /* one of the control signals came; see info */
	SPROF_EVENT_STOPPED, /* an interrupted thread has stopped: read what is needed and resume it */
	SPROF_EVENT_EXEC,    /* the thread runs another program now, under the process's id */
	SPROF_EVENT_ENDED,   /* ended or let go of: read its last figures, if it has any, and release it */
	SPROF_EVENT_EMPTY,   /* no traced thread is left, and no launched process that was let go of */
};

struct sprof_event {
	enum sprof_event_kind kind;
	struct sprof_thread *thread;
	siginfo_t info;
};

/* Passes everything through until there is something for the caller, or the deadline (CLOCK_MONOTONIC). */
struct sprof_event sprof_target_wait(struct sprof_target *target, uint64_t deadline_ns);

/*
 * Asks again and again for an event of this thread, which has been asked to stop, for at most so long;
 * TIMEOUT: there was none. Where the thread runs on another CPU this is sooner than to sleep and be woken.
 */
struct sprof_event sprof_target_spin(
	struct sprof_target *target, const struct sprof_thread *thread, uint64_t deadline_ns);

/* Asks a RUNNING or LISTENING thread to stop; the stop comes as an event. False: the thread is gone. */
bool sprof_thread_interrupt(struct sprof_thread *thread);

/* Lets a STOPPED thread go on, with the signal it was stopped with. A thread that is gone is no error. */
void sprof_thread_resume(struct sprof_thread *thread);
/* The same of a thread that is wanted again: it stops before it is back in its program, or in a group-stop. */
void sprof_thread_resume_to_stop(struct sprof_thread *thread);

/* Forgets a thread after SPROF_EVENT_ENDED, and reaps or detaches it. */
void sprof_target_release(struct sprof_target *target, struct sprof_thread *thread);

#endif
