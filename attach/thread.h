/*
 * Traced processes and threads: who they are, which state they are in, and their files in /proc.
 */
#ifndef SPROF_ATTACH_THREAD_H
#define SPROF_ATTACH_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/maps.h"
#include "attach/procfs.h"

struct sprof_go_runtime;

/* Whether the program that a process runs may trace others; see attach/ptrace-user.h. */
enum sprof_process_tracing {
	SPROF_PROCESS_TRACES_UNKNOWN,
	SPROF_PROCESS_TRACES_NOBODY,
	SPROF_PROCESS_TRACES_OTHERS,
};

/* What sampler/quiet.c knows of a process. CPU times in ns, moments in ns of CLOCK_MONOTONIC. */
struct sprof_process_quiet {
	bool is_quiet, was_quiet;  /* none of its sleepers has run since the last tick; in that tick */
	bool has_awake;            /* it has threads that are not known to sleep */
	bool has_rest, knows_rest; /* whether the two below are valid */
	uint64_t waiters;          /* sleepers that wait for a lock */
	uint64_t moved_ns;         /* the last tick that found that a sleeper had run */
	uint64_t seen_ns;          /* CPU time of the threads that are there, as of the last look at each */
	uint64_t rest_ns;          /* what the process's clock says beyond that */
	uint64_t known_rest_ns;    /* the same, when no sleeper had run: mostly of threads that are gone */
};

struct sprof_process {
	uint32_t id; /* counts up from 0, never reused, unlike the pid */
	pid_t pid;
	unsigned threads;  /* traced ones; the process goes with the last */
	struct sprof_maps maps;
	uint64_t maps_read_ns;  /* when; 0: never */
	uint64_t maps_cost_ns;  /* the CPU time that it took */
	bool maps_read_in_vain; /* nothing had changed */
	int maps_file;          /* of attach/maps-query.h; -1: not open */
	int memory_file;        /* /proc/PID/mem, where we may lose the right to read it; -1: not open */
	bool denied;            /* its memory could not be read, nor where its threads sleep */
	bool maps_can_ask;     /* the kernel has answered there */
	/* Counts up whenever the mappings may have changed; and as it was when they were read. */
	uint64_t change, maps_change;
	uint64_t late_tick_ns; /* the last tick that took so long that they may have */
	struct sprof_process_quiet quiet;
	/* The sampler's: Go's runtime in the program, NULL: none that is known; and of how many it was looked for. */
	const struct sprof_go_runtime *go;
	unsigned go_count;
	enum sprof_process_tracing tracing; /* found out when it has a child */
};

enum sprof_thread_phase {
	SPROF_THREAD_RUNNING,     /* or asleep: nothing of ours is pending */
	SPROF_THREAD_INTERRUPTED, /* asked to stop, not yet stopped */
	SPROF_THREAD_STOPPED,     /* in a ptrace-stop that we have collected */
	SPROF_THREAD_LISTENING,   /* in a group-stop, let be with PTRACE_LISTEN */
	SPROF_THREAD_LEAVING,     /* stands still for the last time: release() detaches it */
	SPROF_THREAD_ENDED,       /* a zombie that we have not reaped yet: its figures can be read */
};

/* The files of /proc/PID/task/TID that are kept open. */
enum sprof_thread_file {
	SPROF_THREAD_STAT,
	SPROF_THREAD_SCHEDSTAT,
	SPROF_THREAD_SYSCALL,
	SPROF_THREAD_FILES,
};

struct sprof_thread {
	struct sprof_thread *next; /* in the target's table */
	uint32_t id; /* counts up from 0, never reused */
	pid_t tid;
	struct sprof_process *process;
	void *sampling; /* the sampler's own, freed by it before release */
	enum sprof_thread_phase phase;
	int signal;      /* STOPPED: passed on when it goes on; 0: none */
	bool group_stop; /* STOPPED: goes on with PTRACE_LISTEN */
	bool leaving;    /* to be let go of at its next stop, for another tracer; attach/ptrace-watch.h */
	unsigned watched;     /* how many syscall-stops it still makes */
	pid_t held_for;       /* STOPPED, until that one is no tracee of ours; 0: not held */
	bool interrupt_again; /* then it is asked again to stop, as it was when it was held */
	bool superseded; /* an interrupt of ours was sent before a stop for something else: it may still come */
	bool born;       /* under our eyes: all its time is ours. False: it was running when we attached */
	uint64_t thread_pointer; /* of a stop whose registers were read, or as libc has it; 0: not known */
	uint64_t seen_ns; /* CLOCK_MONOTONIC of its first sight */
	uint64_t stops;   /* ptrace-stops that were dispatched; the kernel counts a voluntary switch for each */
	int files[SPROF_THREAD_FILES]; /* -1: not open */
};

/* After an exec nothing is known of the mappings. */
void sprof_process_forget_maps(struct sprof_process *process);
/*
 * Opens the files of the memory that the process has now, if we are no more privileged than it: it may take
 * the right to open them away at any time (PR_SET_DUMPABLE), but not from who has them open.
 */
void sprof_process_open_files(struct sprof_process *process);
/*
 * Reads its memory through one of its threads, as sprof_memory_read() does; where that is no longer
 * permitted, from the open file. 0 and `denied` is set: there is none.
 */
size_t sprof_process_read_memory(struct sprof_process *process, pid_t tid, uint64_t address,
	void *buffer, size_t size);
/* Reads its mappings as sprof_maps_read() does, or from the open file. */
bool sprof_process_read_maps(struct sprof_process *process, struct sprof_modules *modules);

struct sprof_thread *sprof_thread_create(uint32_t id, pid_t tid, struct sprof_process *process);
/* NULL is accepted. */
void sprof_thread_destroy(struct sprof_thread *thread);

/* After an exec the files of the thread are those of another task. */
void sprof_thread_close_files(struct sprof_thread *thread);

/* Whether a thread that is about to be released still shows its last figures. */
static inline bool sprof_thread_has_figures(const struct sprof_thread *thread)
{
	return thread->phase == SPROF_THREAD_ENDED || thread->phase == SPROF_THREAD_LEAVING;
}

/* False: the thread is gone. */
bool sprof_thread_read_stat(struct sprof_thread *thread, struct sprof_proc_stat *ret);
/*
 * Where the kernel has no such file, or only zeros in it (sched_info in its configuration), times are 0
 * and for the time slices stands the count of switches in status, which does not move while a thread sleeps
 * either. It moves at the end of a time slice, not at its beginning: a thread that runs may have the count of its sleep.
 */
bool sprof_thread_read_schedstat(struct sprof_thread *thread, struct sprof_proc_schedstat *ret);
/* False also where the process does not let us read it: its `denied` is set then. */
bool sprof_thread_read_syscall(struct sprof_thread *thread, struct sprof_proc_syscall *ret);

#endif
