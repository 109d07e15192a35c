/*
 * The traced processes and their threads: launch, seize, events.
 *
 * Uses PTRACE_SEIZE only (never ATTACH, never SIGSTOP). Handles signals, group-stops, new threads
 * and processes, and exec before it hands out an event. The caller sees only requested and
 * essential events.
 *
 * A target is detached when the thread that created it ends. The kernel then detaches every tracee
 * without stopping it, delivers a signal that was just being reported, and leaves a stopped process
 * stopped (ptrace(2), "Attaching and detaching"; kernel/ptrace.c, exit_ptrace and __ptrace_unlink).
 * So detaching interrupts no system call of the target, and every end of sprof has the same effect,
 * even if it is killed. All functions must be called from that one thread.
 */
#pragma once

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
	SPROF_CALLS_ALL, /* each entry and exit, once the thread has stopped */
	/*
	 * Calls selected by the launched program's filter (struct sprof_launch). The kernel never
	 * removes a filter, and without a tracer each selected call fails with ENOSYS. So the
	 * target can't be detached: the kernel kills it when sprof ends (PTRACE_O_EXITKILL).
	 */
	SPROF_CALLS_SELECTED,
};

struct sprof_target_options {
	bool follow_children; /* fork, vfork and clone of processes */
	bool chosen_threads;  /* don't follow new threads: sprof_target_attach_thread() */
	sigset_t control;     /* signals delivered as events; the caller blocks them and SIGCHLD */
	bool births;          /* report BORN */
	bool tasks;           /* report DELIVERED */
	bool holds;           /* report HELD */
	bool resumes;         /* keep the times at which threads continue after stops */
	bool standing;        /* measure the stops that pass on signals and events */
	/*
	 * Read a program's mappings at its exec, because it may end before they can be read later;
	 * the table gets their files. NULL: don't.
	 */
	struct sprof_modules *modules;
	/* Which system calls are reported as SPROF_EVENT_CALL. */
	enum sprof_target_calls calls;
	sigset_t child_mask; /* signal mask of a launched program */
};

/* Returns false, and changes nothing, if out of memory, or if this machine lacks a requirement
 * (attach/start/requirements.h). */
SPROF_MUST_USE bool sprof_target_create(const struct sprof_target_options *options,
	struct sprof_target **ret, struct sprof_error *err);
/* Frees the memory; NULL is accepted. The tracees stay attached until the thread ends. */
void sprof_target_destroy(struct sprof_target *target);

struct sprof_launch {
	char *const *arguments; /* [0] is searched in PATH; NULL-terminated */
	char *const *environment;
	bool stdout_to_stderr;
	/* signals to ignore, because the caller has handlers; NULL: none */
	const sigset_t *ignored;
	/* selects calls by SECCOMP_RET_TRACE, seccomp(2); NULL: none */
	const struct sock_fprog *filter;
};

/*
 * Starts a program and leaves it stopped at its first instruction, for the caller to resume. The
 * program inherits everything from the caller, except the signal mask, the ignored signals and
 * stdout.
 */
SPROF_MUST_USE bool sprof_target_launch(
	struct sprof_target *target, const struct sprof_launch *launch, struct sprof_error *err);

/*
 * Seizes every thread of a running process, including threads born meanwhile; stops none. A target
 * may have several processes; if one is refused, earlier ones stay seized until the caller's thread
 * ends.
 */
SPROF_MUST_USE bool sprof_target_attach(
	struct sprof_target *target, pid_t pid, struct sprof_error *err);

/* Seizes only this thread; the others of its process run untraced. Requires chosen_threads. */
SPROF_MUST_USE bool sprof_target_attach_thread(
	struct sprof_target *target, pid_t tid, struct sprof_error *err);

/*
 * Adds the kernel's workers in the process, such as io_uring's, that were born since the last time:
 * their births are not reported. The caller must not interrupt them: that would break off what they
 * do for the process.
 */
void sprof_target_find_workers(struct sprof_target *target, struct sprof_process *process);

/* The launched process, or the first attached one. */
pid_t sprof_target_pid(const struct sprof_target *target);

/* Stops reporting system calls; each thread may stop at one more. */
void sprof_target_end_calls(struct sprof_target *target);

/* Whether the launched process has ended, and its status as waitpid(2) encodes it. */
bool sprof_target_ended(const struct sprof_target *target, int *ret_wait_status);

/* Whether a new thread could not be registered: it runs untraced. */
bool sprof_target_lacks_memory(const struct sprof_target *target);

/* All threads, unordered, valid until the next event or release(). New threads come last. */
struct sprof_thread **sprof_target_threads(const struct sprof_target *target, size_t *ret_count);

/* The traced thread with this id; NULL: none. */
struct sprof_thread *sprof_target_find(const struct sprof_target *target, pid_t tid);

/* The number of threads and processes seen so far. */
uint32_t sprof_target_threads_seen(const struct sprof_target *target);
uint32_t sprof_target_processes_seen(const struct sprof_target *target);
/* The present processes, unordered, valid as long as the threads are. */
struct sprof_process **sprof_target_processes(const struct sprof_target *target, size_t *ret_count);
uint32_t sprof_target_process_count(const struct sprof_target *target);

/* The name of the first program of each kind; empty: none. */
struct sprof_target_programs {
	char tracer[64];       /* detached because it traces a thread itself */
	char leak_checker[64]; /* detached because it traces its own threads to check for leaks */
	char narrow[64];       /* a 32-bit program, detached at its first instruction */
	char unprivileged[64]; /* without the privileges of its file, because it is traced */
};
const struct sprof_target_programs *sprof_target_programs(const struct sprof_target *target);

/* Whether the launched process was detached because it executed a 32-bit program. */
bool sprof_target_left(const struct sprof_target *target);

/*
 * Handles reports until there is an event for the caller, or until the deadline (CLOCK_MONOTONIC).
 */
struct sprof_event sprof_target_next_event(struct sprof_target *target, uint64_t deadline_ns);

/*
 * Polls for the requested stop of this thread, up to a time limit. Pending events come first.
 * TIMEOUT: it did not stop. If the thread runs on another CPU, this is faster than sleeping.
 */
struct sprof_event sprof_target_spin(
	struct sprof_target *target, const struct sprof_thread *thread, uint64_t deadline_ns);

/* Forgets a thread after SPROF_EVENT_ENDED, and reaps or detaches it. */
void sprof_target_release(struct sprof_target *target, struct sprof_thread *thread);

/*
 * Answers an event that the caller ignores: resumes a stopped thread, or releases an ended one. The
 * caller must answer every event, by this function or otherwise.
 */
void sprof_event_answer(struct sprof_target *target, const struct sprof_event *event);
