/*
 * The traced processes and their threads: launch, seize, events.
 *
 * Uses PTRACE_SEIZE only (never ATTACH, never SIGSTOP). Passes through signals, group-stops, new
 * threads and processes, and exec before it hands out an event. The caller sees only what it asked
 * for and what it must know.
 *
 * A target is detached by the end of the thread that created it. The kernel then detaches every
 * tracee without stopping it, delivers a signal that was just being reported, and leaves a stopped
 * process stopped (ptrace(2), "Attaching and detaching"; kernel/ptrace.c, exit_ptrace and
 * __ptrace_unlink). So the end interrupts no system call of the target, and every end of sprof is
 * the same, even its death. All functions must be called from that one thread.
 */
#ifndef SPROF_ATTACH_TARGET_H
#define SPROF_ATTACH_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/event.h"
#include "attach/resume.h"
#include "attach/thread.h"
#include "base/attributes.h"
#include "base/error.h"

struct sock_fprog;
struct sprof_target;

enum sprof_target_calls {
	SPROF_CALLS_NONE,
	SPROF_CALLS_ALL, /* each entry and each exit, of a thread that has stopped once */
	/*
	 * Those that the launched program's filter selects (struct sprof_launch). The kernel never
	 * removes a filter, and without a tracer each selected call fails with ENOSYS. So the
	 * target can't be detached: the kernel kills it when sprof ends (PTRACE_O_EXITKILL).
	 */
	SPROF_CALLS_SELECTED,
};

struct sprof_target_options {
	bool follow_children; /* fork, vfork and clone of processes */
	bool chosen_threads;  /* births of threads are not followed: sprof_target_attach_thread() */
	sigset_t control; /* signals that come to the caller as events; the caller blocks them and
			     SIGCHLD */
	bool births;      /* BORN are events too, */
	bool tasks;       /* and DELIVERED */
	bool holds;       /* HELD are events too */
	bool resumes;     /* threads keep the moments that they go on at after stops */
	/*
	 * The mappings of a program are read at its exec already, because it may end before anybody
	 * else can; these have its files. NULL: they are not.
	 */
	struct sprof_modules *modules;
	/* Which system calls are SPROF_EVENT_CALLs. */
	enum sprof_target_calls calls;
	sigset_t child_mask; /* the signal mask that a launched program starts with */
};

/* False: no memory, or this machine lacks a requirement (attach/requirements.h); nothing was
 * changed. */
SPROF_MUST_USE bool sprof_target_create(const struct sprof_target_options *options,
	struct sprof_target **ret, struct sprof_error *err);
/* Frees the memory; NULL is accepted. The tracees stay attached until the thread ends. */
void sprof_target_destroy(struct sprof_target *target);

struct sprof_launch {
	char *const *arguments; /* [0] is searched in PATH; ends with NULL */
	char *const *environment;
	bool stdout_to_stderr;
	/* signals ignored at its start, because the caller has handlers; NULL: none */
	const sigset_t *ignored;
	/* selects calls by SECCOMP_RET_TRACE, seccomp(2); NULL: none */
	const struct sock_fprog *filter;
};

/*
 * Starts a program and leaves it stopped at its first instruction: the caller resumes it. The
 * program inherits everything from the caller, except the signal mask, the ignored signals and
 * stdout.
 */
SPROF_MUST_USE bool sprof_target_launch(
	struct sprof_target *target, const struct sprof_launch *launch, struct sprof_error *err);

/*
 * Seizes every thread of a running process, also threads born meanwhile. Stops none. A target may
 * have several processes; if one is refused, those before it stay seized until the caller's end.
 */
SPROF_MUST_USE bool sprof_target_attach(
	struct sprof_target *target, pid_t pid, struct sprof_error *err);

/*
 * Seizes this thread, and no other one of its process: those run as if nobody traced. Wants
 * chosen_threads.
 */
SPROF_MUST_USE bool sprof_target_attach_thread(
	struct sprof_target *target, pid_t tid, struct sprof_error *err);

/* The launched process, or the first attached one. */
pid_t sprof_target_pid(const struct sprof_target *target);

/* From now on system calls are not reported; threads stop at most at one more of them. */
void sprof_target_end_calls(struct sprof_target *target);

/* Whether the launched process has ended, and its status as waitpid(2) encodes it. */
bool sprof_target_ended(const struct sprof_target *target, int *ret_wait_status);

/* Whether a new thread could not be taken in: it runs untraced. */
bool sprof_target_lacks_memory(const struct sprof_target *target);

/* All threads in no order, valid until the next event or release(). New threads come last. */
struct sprof_thread **sprof_target_threads(const struct sprof_target *target, size_t *ret_count);

/* The traced thread of this id; NULL: there is none. */
struct sprof_thread *sprof_target_find(const struct sprof_target *target, pid_t tid);

/* The number of threads and processes seen so far. */
uint32_t sprof_target_threads_seen(const struct sprof_target *target);
uint32_t sprof_target_processes_seen(const struct sprof_target *target);
/* The present processes, in no order, valid as long as the threads are. */
struct sprof_process **sprof_target_processes(const struct sprof_target *target, size_t *ret_count);
uint32_t sprof_target_process_count(const struct sprof_target *target);

/* The name of the first program that traces a thread itself, so that we detached it; NULL: none. */
const char *sprof_target_tracer(const struct sprof_target *target);

/* The name of the first program that was let go because it traces its own threads, to look for leaks;
 * NULL: none. */
const char *sprof_target_leak_checker(const struct sprof_target *target);

/* The name of a 32-bit program, which was detached at its first instruction; NULL: none. */
const char *sprof_target_narrow(const struct sprof_target *target);

/* Whether the launched process was detached because it executed such a program. */
bool sprof_target_left(const struct sprof_target *target);

/* The name of a program that lacks its file's rights because it is traced; NULL: none. */
const char *sprof_target_unprivileged(const struct sprof_target *target);

/* Handles reports until there is an event for the caller or the deadline (CLOCK_MONOTONIC)
 * passes. */
struct sprof_event sprof_target_next_event(struct sprof_target *target, uint64_t deadline_ns);

/*
 * Polls for the stop of this thread, which was asked for, up to a time limit. Events that wait
 * already come first. TIMEOUT: there was none. If the thread runs on another CPU, this is faster
 * than sleeping and being woken.
 */
struct sprof_event sprof_target_spin(
	struct sprof_target *target, const struct sprof_thread *thread, uint64_t deadline_ns);

/* Forgets a thread after SPROF_EVENT_ENDED, and reaps or detaches it. */
void sprof_target_release(struct sprof_target *target, struct sprof_thread *thread);

/*
 * Answers an event that the caller ignores: resumes a stopped thread, or releases one that has
 * ended. Whoever takes events must answer each, by this function or otherwise.
 */
void sprof_event_answer(struct sprof_target *target, const struct sprof_event *event);

#endif
