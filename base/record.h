/*
 * The plain-data vocabulary that travels from the sampler to the profile: frames, stacks, samples,
 * times, and the sink that takes them. No behaviour here, so that both sides know the words without
 * knowing each other.
 */
#ifndef SPROF_BASE_RECORD_H
#define SPROF_BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A raw frame. `offset` is the offset in the module's file (or memory image); for anonymous memory it
 * is the address itself. A return address points behind its call: names are looked up at offset - 1.
 */
struct sprof_frame {
	uint64_t offset;
	uint32_t module;
	bool is_return;
};

/* Why a walk ended. Only ROOT is a complete stack; everything else is a result too, never an error. */
enum sprof_end {
	SPROF_END_ROOT,        /* the CFI says so, or the frame pointer chain ended in 0 */
	SPROF_END_DEPTH,       /* the depth limit */
	SPROF_END_STACK_COPY,  /* the copied part of the stack was too small */
	SPROF_END_NO_CFI,      /* no CFI and no plausible frame pointer for this pc */
	SPROF_END_NO_MODULE,   /* the pc is not in executable memory */
	SPROF_END_BAD_MEMORY,  /* a rule led outside the stack */
	SPROF_END_NO_PROGRESS, /* the CFA did not grow */
	SPROF_END_REGISTER,    /* a register was needed that a peek can't know */
	SPROF_END_COUNT,
};

/* Short names for reports and for truncated_reasons: "root", "depth", "stack-copy", ... */
const char *sprof_end_name(enum sprof_end end);

/* What a thread was doing at a sample. The first two were running or ready to run. */
enum sprof_state {
	SPROF_STATE_USER,
	SPROF_STATE_SYS,     /* running inside a system call */
	SPROF_STATE_SLEEP,
	SPROF_STATE_DISK,    /* uninterruptible */
	SPROF_STATE_STOPPED, /* group-stop */
	SPROF_STATE_COUNT,
};

const char *sprof_state_name(enum sprof_state state);

/* Where a thread's wall time goes; the kernel's own figures in ns. Their sum is the wall time. */
enum sprof_time_class {
	SPROF_TIME_USER,
	SPROF_TIME_SYS,
	SPROF_TIME_RUNQ, /* ready, waiting for a CPU */
	SPROF_TIME_WAIT, /* blocked: sleep, disk, stopped */
	SPROF_TIME_COUNT,
};

struct sprof_times {
	uint64_t ns[SPROF_TIME_COUNT];
};

/* One stack as the unwinder found it, innermost frame first. */
struct sprof_stack_view {
	const struct sprof_frame *frames;
	size_t count;
	enum sprof_end end;
};

/* A thread as first seen, and again whenever one of these changed. Ids are the sampler's, from 0, never reused. */
struct sprof_thread_record {
	uint32_t id;
	pid_t pid, tid;
	const char *name;         /* comm */
	const char *process_name; /* the process's command line or comm; may be NULL when unchanged */
};

struct sprof_sample {
	uint64_t time_ns; /* CLOCK_MONOTONIC of the tick */
	uint32_t thread;
	uint32_t stack; /* as the sink's stack() numbered it */
	enum sprof_state state;
};

/*
 * Where the sampler's records go. Every function returns false only on a fatal lack of memory, which
 * ends the run.
 *
 * sample() may be called several times for a thread, then charge() hands out the time that the kernel
 * accounted to the thread since the last charge(): it belongs to the samples since then. `last` is
 * true when the thread has ended or the run is over.
 */
struct sprof_sink {
	void *data;
	bool (*thread)(void *data, const struct sprof_thread_record *record);
	bool (*stack)(void *data, const struct sprof_stack_view *stack, uint32_t *ret_id);
	bool (*sample)(void *data, const struct sprof_sample *sample);
	bool (*charge)(void *data, uint32_t thread, const struct sprof_times *times, bool last);
};

/* The quality of a run: what sprof did, what it missed and what it cost. Times in ns. */
struct sprof_quality {
	pid_t target_pid;
	uint64_t duration_ns;
	double rate_hz;
	uint64_t ticks, ticks_late; /* late: a whole period or more behind its deadline; those in between were dropped */
	uint64_t ticks_missed;      /* dropped because an earlier one was late */
	uint64_t samples_stopped, samples_peeked, samples_reused;
	uint64_t samples_lost; /* the thread got no CPU to stop on within the tick's patience */
	uint64_t stops, stop_ns_total, stop_ns_p50, stop_ns_p95, stop_ns_p99, stop_ns_max;
	uint64_t profiler_cpu_ns;
	uint64_t frames;
	uint64_t stacks[SPROF_END_COUNT]; /* samples by the end of their stack */
	uint64_t unwind_ns_total;
	uint64_t frames_unresolved; /* distinct addresses without a name; filled after naming */
	uint64_t threads_seen, processes_seen;
	bool schedstat_missing; /* the kernel does not fill schedstat: runq is unknown, reuse is off */
};

#endif
