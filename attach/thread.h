/*
 * Traced processes and threads: their identity, their state, and their files in /proc.
 */
#ifndef SPROF_ATTACH_THREAD_H
#define SPROF_ATTACH_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/maps.h"
#include "attach/memory.h"
#include "attach/procfs.h"
#include "attach/remainder.h"
#include "attach/rewinds.h"
#include "attach/trap-masks.h"
#include "base/attributes.h"

/* Whether the program that a process runs may trace others; see attach/ptrace-user.h. */
enum sprof_process_tracing {
	SPROF_PROCESS_TRACES_UNKNOWN,
	SPROF_PROCESS_TRACES_NOBODY,
	SPROF_PROCESS_TRACES_OTHERS,
};

struct sprof_breakpoints;
struct sprof_trap_signals;

struct sprof_process {
	uint32_t id; /* counts up from 0, never reused, unlike the pid */
	pid_t pid;
	unsigned threads; /* traced ones; the process is freed with the last one */
	struct sprof_maps maps;
	/* of the program before its exec, and when that was; count 0: none, or not wanted any more */
	struct sprof_maps former_maps;
	uint64_t former_ns;
	int maps_file; /* for attach/maps-query.h; -1: not open */
	/* /proc/PID/mem, if we may lose the right to read it; -1: not open */
	int memory_file;
	bool denied;    /* neither its memory nor its threads' system calls could be read */
	void *sampling; /* owned by the sampler, which frees it before it releases the last
			   thread */
	struct sprof_breakpoints *breakpoints;   /* attach/breakpoints.h; NULL: none */
	struct sprof_trap_signals *trap_signals; /* attach/trap-signals.h; NULL: nothing is known */
	enum sprof_process_tracing tracing;      /* determined when it has a child */
	bool checks_leaks; /* it traces its own threads for that; attach/ptrace-watch.h */
	/* CLOCK_MONOTONIC: before it, another program ran under its id; 0: none that we know of */
	uint64_t executed_ns;
};

enum sprof_thread_phase {
	SPROF_THREAD_RUNNING,     /* or asleep: no interrupt of ours is pending */
	SPROF_THREAD_INTERRUPTED, /* asked to stop, not yet stopped */
	SPROF_THREAD_STOPPED,     /* in a ptrace-stop that we have collected */
	SPROF_THREAD_LISTENING,   /* in a group-stop, left there with PTRACE_LISTEN */
	SPROF_THREAD_LEAVING,     /* at its last stop: release() detaches it */
	/* a zombie that we have not reaped: its figures can be read */
	SPROF_THREAD_ENDED,
};

/* How far a thread runs when it is resumed. */
enum sprof_resumption {
	SPROF_RESUME_CONTINUE,
	SPROF_RESUME_TO_CALL,  /* to the next entry or exit of a system call */
	SPROF_RESUME_ONE_STEP, /* one instruction; the stop after it is reported as STOPPED */
};

enum { SPROF_THREAD_RESUMES = 32 };

/* The files of /proc/PID/task/TID that are kept open. */
enum sprof_thread_file {
	SPROF_THREAD_STAT,
	SPROF_THREAD_SCHEDSTAT,
	SPROF_THREAD_SYSCALL,
	SPROF_THREAD_STATUS, /* only of a thread that asks for it often */
	SPROF_THREAD_FILES,
};

struct sprof_thread {
	struct sprof_thread *next; /* in the target's table */
	uint32_t id;               /* counts up from 0, never reused */
	pid_t tid;
	struct sprof_process *process;
	void *sampling; /* owned by the sampler, which frees it before release */
	void *calls;    /* owned by events/calls.c, which frees it before release */
	enum sprof_thread_phase phase;
	int signal;      /* STOPPED: passed on at the resume; 0: none */
	bool group_stop; /* STOPPED: resumed with PTRACE_LISTEN */
	/* detach it at its next stop, for another tracer; attach/ptrace-watch.h */
	bool leaving;
	enum sprof_resumption resumption; /* how far it runs */
	enum sprof_resumption habit;      /* what that is when nobody watches it */
	unsigned watched; /* number of syscall-stops still wanted; attach/ptrace-watch.h */
	uint64_t
		passing; /* it makes one step at this breakpoint, which is gone meanwhile; 0: none */
	enum sprof_resumption after_step; /* passing: how far it runs then */
	/* A signal came before such a step: it comes to this breakpoint once more, with this sp, when
	 * its handler has returned. Address 0: none. */
	struct {
		uint64_t address, sp;
	} put_off;
	struct sprof_trap_masks trap_masks;
	unsigned trap_masks_of; /* since which restoring of the breakpoints they are known */
	bool lets_go;   /* held at a call after which none of its process may be our tracee */
	pid_t held_for; /* STOPPED until this thread is no longer our tracee; 0: not held */
	bool filtered;  /* it has the launch's filter of system calls, besides its own */
	struct sprof_rewinds rewinds;
	struct sprof_remainder remainder;
	bool restarted; /* since its last SPROF_EVENT_CALL a call was made to begin again */
	/* it was asked to stop, but this stop has another cause: when it continues, ask again */
	bool interrupt_again;
	/* our interrupt was sent before a stop with another cause: it may still come */
	bool superseded;
	/* born while we trace: all its time is ours. False: it ran when we attached */
	bool born;
	/* from a stop with registers read, or from libc; 0: not known */
	uint64_t thread_pointer;
	uint64_t seen_ns;       /* CLOCK_MONOTONIC when first seen */
	int exit_code;          /* ENDED: as a shell reports it, 128 + a signal's number */
	uint64_t signals;       /* dispatched signal-stops */
	uint64_t max_rss_bytes; /* of its process, at the end of the leader; 0: not known */
	/* dispatched ptrace-stops; the kernel counts a voluntary switch for each */
	uint64_t stops;
	/* when it went on after ptrace-stops, CLOCK_MONOTONIC; number n is at n modulo the size */
	uint64_t resumed_ns[SPROF_THREAD_RESUMES];
	uint64_t resumes;
	int files[SPROF_THREAD_FILES]; /* -1: not open */
};

/* After an exec the old mappings are invalid. */
void sprof_process_forget_maps(struct sprof_process *process);
/*
 * At the stop of an exec: keeps the mappings for what was recorded before. If those of an earlier exec
 * are still wanted, it keeps these instead.
 */
void sprof_process_keep_maps(struct sprof_process *process);
/* Nothing of before the exec comes any more. */
void sprof_process_drop_former(struct sprof_process *process);
/*
 * Opens the files of the process's present memory, if we have no more privileges than the process:
 * it may take away the right to open them (PR_SET_DUMPABLE), but open files stay readable.
 */
void sprof_process_open_files(struct sprof_process *process);
/*
 * Reads the process's memory through one of its threads, as sprof_memory_read() does, or from the
 * open file if we lost the right. If there is no file, returns 0 and sets `denied`.
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

/* After an exec the thread's files belong to another task. */
void sprof_thread_close_files(struct sprof_thread *thread);

/* Whether a thread about to be released still shows its last figures. */
static inline bool sprof_thread_has_figures(const struct sprof_thread *thread)
{
	return thread->phase == SPROF_THREAD_ENDED || thread->phase == SPROF_THREAD_LEAVING;
}

/* When it went on after a ptrace-stop between two moments, the last time; 0: never, or too long ago. */
uint64_t sprof_thread_resumed_between(
	const struct sprof_thread *thread, uint64_t begin_ns, uint64_t end_ns);

/* False: the thread is gone. */
SPROF_MUST_USE bool sprof_thread_read_stat(
	struct sprof_thread *thread, struct sprof_proc_stat *ret);
/*
 * If the kernel has no such file, or fills it with zeros (sched_info in its configuration), times
 * are 0, and the count of switches in status replaces the count of time slices. The count of
 * switches also stays the same during a sleep. It changes at the end of a time slice, not at its
 * start: a running thread may still have the count from its sleep.
 */
SPROF_MUST_USE bool sprof_thread_read_schedstat(
	struct sprof_thread *thread, struct sprof_proc_schedstat *ret);
/* The text of status, ended by a 0, cut to `size`; -1: the thread is gone. `often`: the file stays open. */
SPROF_MUST_USE ssize_t sprof_thread_read_status(
	struct sprof_thread *thread, bool often, char *buffer, size_t size);
/*
 * At a stop: whether the next one is that of a trap which the thread has come to. An interrupt's stop comes
 * before it (kernel/signal.c, get_signal).
 */
bool sprof_thread_has_pending_trap(const struct sprof_thread *thread);
/* Also false if the process does not let us read it; then sets its `denied`. */
SPROF_MUST_USE bool sprof_thread_read_syscall(
	struct sprof_thread *thread, struct sprof_proc_syscall *ret);

#endif
