/*
 * Traced processes and threads: their identity, their state, and their files in /proc.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/breakpoints/masks.h"
#include "attach/calls/remainder.h"
#include "attach/calls/rewinds.h"
#include "attach/proc/maps.h"
#include "attach/proc/memory.h"
#include "attach/proc/procfs.h"
#include "attach/standing.h"
#include "base/attributes.h"

/* Whether the program that a process runs may trace others; see attach/tracers/user.h. */
enum sprof_process_tracing {
	SPROF_PROCESS_TRACES_UNKNOWN,
	SPROF_PROCESS_TRACES_NOBODY,
	SPROF_PROCESS_TRACES_OTHERS,
};

/* Whether a process is the first one of its pid namespace; see attach/first-process.h. */
enum sprof_process_rank {
	SPROF_PROCESS_RANK_UNKNOWN,
	SPROF_PROCESS_FIRST,
	SPROF_PROCESS_LATER,
};

struct sampled;
struct sampled_process;
struct sprof_breakpoints;
struct sprof_trap_signals;

struct sprof_process {
	uint32_t id; /* counts up from 0; never reused, unlike the pid */
	pid_t pid;
	unsigned threads; /* number of traced ones; the process is freed with the last */
	/* those that the last search for workers left alone; attach/births.c */
	unsigned untraced;
	struct sprof_maps maps;
	/*
	 * of the program before its exec, and the time of the exec; count 0: none, or no longer
	 * needed
	 */
	struct sprof_maps former_maps;
	uint64_t former_ns;
	int maps_file; /* for attach/proc/maps-query.h; -1: not open */
	/* /proc/PID/mem, if sprof may lose permission to read it; -1: not open */
	int memory_file;
	bool denied; /* reading its memory or its threads' system calls was denied */
	/* owned by the sampler, which frees it before it releases the last thread */
	struct sampled_process *sampling;
	/* see attach/breakpoints/breakpoints.h; NULL: none */
	struct sprof_breakpoints *breakpoints;
	/* see attach/breakpoints/signals.h; NULL: nothing is known */
	struct sprof_trap_signals *trap_signals;
	enum sprof_process_tracing tracing; /* determined when it has a child */
	enum sprof_process_rank rank;       /* determined at its first fault */
	bool checks_leaks; /* it traces its own threads for a leak check; attach/tracers/watch.h */
	/* CLOCK_MONOTONIC of its latest exec; 0: none seen */
	uint64_t executed_ns;
	/* its largest known peak of memory, and that of its ended children; 0: unknown */
	uint64_t peak_bytes, child_peak_bytes;
};

enum sprof_thread_phase {
	SPROF_THREAD_RUNNING,     /* or asleep: no stop requested */
	SPROF_THREAD_INTERRUPTED, /* stop requested */
	SPROF_THREAD_STOPPED,     /* in a ptrace-stop that was collected */
	SPROF_THREAD_LISTENING,   /* in a group-stop, left there with PTRACE_LISTEN */
	SPROF_THREAD_LEAVING,     /* at its last stop: release() detaches it */
	/* a zombie, not reaped: its figures can be read */
	SPROF_THREAD_ENDED,
};

/* How far a thread runs when it is resumed. */
enum sprof_resumption {
	SPROF_RESUME_CONTINUE,
	SPROF_RESUME_TO_CALL,  /* to the next entry or exit of a system call */
	SPROF_RESUME_ONE_STEP, /* one instruction; the stop after it is reported as STOPPED */
};

/* Times at which a thread continued after ptrace-stops, oldest first. CLOCK_MONOTONIC. */
struct sprof_resumes {
	uint64_t *ns;
	size_t count, capacity;
};

/* The files of /proc/PID/task/TID that are kept open. */
enum sprof_thread_file {
	SPROF_THREAD_STAT,
	SPROF_THREAD_SCHEDSTAT,
	SPROF_THREAD_SYSCALL,
	SPROF_THREAD_STATUS, /* only for threads for which it is read often */
	SPROF_THREAD_FILES,
};

struct sprof_thread {
	struct sprof_thread *next; /* in the target's table */
	uint32_t id;               /* counts up from 0; never reused */
	pid_t tid;
	struct sprof_process *process;
	struct sampled *sampling; /* owned by the sampler, which frees it before release */
	void *calls; /* owned by events/syscalls/calls.c, which frees it before release */
	enum sprof_thread_phase phase;
	int signal;      /* STOPPED: deliver it at the resume; 0: none */
	bool group_stop; /* STOPPED: resume with PTRACE_LISTEN */
	/* detach it at its next stop, for another tracer; attach/tracers/watch.h */
	bool leaving;
	enum sprof_resumption resumption; /* how far it runs when resumed */
	enum sprof_resumption habit;      /* the same while it is not watched */
	unsigned watched; /* number of syscall-stops still needed; attach/tracers/watch.h */
	/* single-stepping at this breakpoint, which is removed meanwhile; 0: none */
	uint64_t passing;
	enum sprof_resumption after_step;
	/* A signal came before such a step: the thread will hit this breakpoint again, with this
	 * sp, when its handler has returned. Address 0: none. */
	struct {
		uint64_t address, sp;
	} put_off;
	struct sprof_trap_masks trap_masks;
	unsigned trap_masks_of; /* the table's `restored` when trap_masks began */
	bool lets_go;           /* held at a call before which its whole process must be detached */
	pid_t held_for;         /* STOPPED until this thread is detached; 0: not held */
	bool filtered;          /* has the launch's seccomp filter */
	struct sprof_rewinds rewinds;
	struct sprof_remainder remainder;
	bool restarted; /* since its last SPROF_EVENT_CALL, a call was made to restart */
	/* a stop was requested, but this one has another cause: request it again when resuming */
	bool interrupt_again;
	/* sprof's interrupt preceded a stop with another cause: it may still arrive */
	bool superseded;
	/* born during tracing: all its time counts. False: it existed at the attach */
	bool born;
	/*
	 * of the kernel, by the last reading of its stat: it has no user code, and is never
	 * interrupted
	 */
	bool is_worker;
	/* from a stop with registers, or from libc; 0: unknown */
	uint64_t thread_pointer;
	uint64_t seen_ns;       /* CLOCK_MONOTONIC when first seen */
	int exit_code;          /* ENDED: as a shell reports it, 128 + signal number */
	uint64_t signals;       /* dispatched signal-stops */
	uint64_t max_rss_bytes; /* of its process, at the end of the leader; 0: unknown */
	/* dispatched ptrace-stops; the kernel counts a voluntary switch for each */
	uint64_t stops;
	bool keeps_resumes; /* until they are forgotten */
	struct sprof_resumes resumes;
	struct sprof_standing standing;
	int files[SPROF_THREAD_FILES]; /* -1: not open */
};

/* Call it after an exec: the old mappings are invalid. */
void sprof_process_forget_maps(struct sprof_process *process);
/*
 * At an exec stop: keeps the old mappings for earlier records. If those of an earlier exec are
 * still needed, keeps these instead.
 */
void sprof_process_keep_maps(struct sprof_process *process);
/* No more records from before the exec will come. */
void sprof_process_drop_former(struct sprof_process *process);
/*
 * Opens the files of the process's present memory, unless sprof has more privileges than the
 * process. The process may later revoke access (PR_SET_DUMPABLE), but open files stay readable.
 */
void sprof_process_open_files(struct sprof_process *process);
/*
 * Reads the process's memory through one of its threads, as sprof_memory_read() does, or from the
 * open file if access was revoked. If there is no file, returns 0 and sets `denied`. Takes a
 * thread's id because a leader that has ended has no memory any more.
 */
SPROF_MUST_USE size_t sprof_process_read_memory(
	struct sprof_process *process, pid_t tid, uint64_t address, void *buffer, size_t size);
/* The same for several pieces, as sprof_memory_read_pieces() does. */
void sprof_process_read_pieces(
	struct sprof_process *process, pid_t tid, struct sprof_memory_piece *pieces, size_t count);
/* Reads the process's mappings as sprof_maps_read() does, or from the open file. */
SPROF_MUST_USE bool sprof_process_read_maps(
	struct sprof_process *process, struct sprof_modules *modules);

SPROF_MUST_USE struct sprof_thread *sprof_thread_create(
	uint32_t id, pid_t tid, struct sprof_process *process);
/* NULL is accepted. */
void sprof_thread_destroy(struct sprof_thread *thread);

/* Call it after an exec: the thread's files belong to another task. */
void sprof_thread_close_files(struct sprof_thread *thread);

/* Whether the final figures of a thread about to be released can still be read. */
static inline bool sprof_thread_has_figures(const struct sprof_thread *thread)
{
	return thread->phase == SPROF_THREAD_ENDED || thread->phase == SPROF_THREAD_LEAVING;
}

/* Updates the peak of memory of a process from its status. */
void sprof_process_note_peak(struct sprof_process *process, const char *status);

/* The thread is in a stop that is not for a sample, and is about to continue: measures it. */
void sprof_thread_note_standing(struct sprof_thread *thread);
/* Keeps a time at which the thread continued after a ptrace-stop, if such times are kept. */
void sprof_thread_note_resume(struct sprof_thread *thread, uint64_t now_ns);
/* The latest time between two times at which it continued after a ptrace-stop; 0: never. */
uint64_t sprof_thread_resumed_between(
	const struct sprof_thread *thread, uint64_t begin_ns, uint64_t end_ns);
/* Times up to this one are no longer needed. */
void sprof_thread_forget_resumes(struct sprof_thread *thread, uint64_t until_ns);

/* Returns false if the thread is gone. */
SPROF_MUST_USE bool sprof_thread_read_stat(
	struct sprof_thread *thread, struct sprof_proc_stat *ret);
/*
 * If the kernel has no such file, or fills it with zeros (no sched_info in its configuration),
 * times are 0, and the number of switches in status replaces the number of timeslices. It is also
 * constant during a sleep. But it changes at the end of a timeslice, not at its start: a running
 * thread may still have the number from its sleep.
 */
SPROF_MUST_USE bool sprof_thread_read_schedstat(
	struct sprof_thread *thread, struct sprof_proc_schedstat *ret);
/*
 * The text of status, NUL-terminated, truncated to `size`; -1: the thread is gone. `often`: keep
 * the file open.
 */
SPROF_MUST_USE ssize_t sprof_thread_read_status(
	struct sprof_thread *thread, bool often, char *buffer, size_t size);
/*
 * At a stop: whether the next stop is for a trap that the thread has already hit. An interrupt's
 * stop precedes it (kernel/signal.c, get_signal).
 */
bool sprof_thread_has_pending_trap(const struct sprof_thread *thread);
/* Returns false also if the process denies access; then sets its `denied`. */
SPROF_MUST_USE bool sprof_thread_read_syscall(
	struct sprof_thread *thread, struct sprof_proc_syscall *ret);
