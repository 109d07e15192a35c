/*
 * Plain data passed from the sampler to the profile: frames, stacks, samples, times, and the sink
 * that receives them. No behaviour, so that neither side depends on the other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A raw frame. `offset` is the offset in the module's file (or memory image); in anonymous memory,
 * the address. A return address follows its call, so names are looked up at offset - 1.
 */
struct sprof_frame {
	uint64_t offset;
	uint32_t module;
	bool is_return;
	/* not on the stack, but where the goroutine was started; also a return address */
	bool is_creator;
};

/* Why a walk ended. Only ROOT is a complete stack. The others are also results, never errors. */
enum sprof_end {
	SPROF_END_ROOT,        /* by CFI, or because the frame pointer chain ended with 0 */
	SPROF_END_DEPTH,       /* depth limit reached */
	SPROF_END_STACK_COPY,  /* the copied part of the stack was too small */
	SPROF_END_NO_CFI,      /* no CFI and no plausible frame pointer for this pc */
	SPROF_END_NO_MODULE,   /* the pc is not in executable memory */
	SPROF_END_BAD_MEMORY,  /* a rule led outside the stack */
	SPROF_END_NO_PROGRESS, /* the CFA did not grow */
	SPROF_END_REGISTER,    /* the walk needed a register that a peek does not provide */
	SPROF_END_DENIED,      /* the process has revoked access (PR_SET_DUMPABLE) */
	SPROF_END_COUNT,
};

/* Short names for reports and for truncated_reasons: "root", "depth", "stack-copy", ... */
const char *sprof_end_name(enum sprof_end end);

/* A thread's state at a sample. In the first two it was running or runnable. */
enum sprof_state {
	SPROF_STATE_USER,
	SPROF_STATE_SYS, /* running inside a system call */
	SPROF_STATE_SLEEP,
	SPROF_STATE_DISK,    /* uninterruptible */
	SPROF_STATE_STOPPED, /* in a group-stop */
	SPROF_STATE_COUNT,
};

const char *sprof_state_name(enum sprof_state state);
/* Neither running nor runnable. */
bool sprof_state_is_blocked(enum sprof_state state);

/* Classes of a thread's wall time by the kernel's figures, in ns. Their sum is the wall time. */
enum sprof_time_class {
	SPROF_TIME_USER,
	SPROF_TIME_SYS,
	SPROF_TIME_RUNQ,  /* runnable, waiting for a CPU */
	SPROF_TIME_SLEEP, /* blocked: reports call this and the two below "wait" */
	SPROF_TIME_DISK,
	SPROF_TIME_STOPPED,
	/* taken from a runnable thread: by the host, interrupts, sprof's stops */
	SPROF_TIME_STOLEN,
	SPROF_TIME_COUNT,
};

struct sprof_times {
	uint64_t ns[SPROF_TIME_COUNT];
};

static inline void sprof_times_add(struct sprof_times *sum, const struct sprof_times *more)
{
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		sum->ns[i] += more->ns[i];
}

/* The result of merging a native stack with an interpreter's frames. */
enum sprof_merge {
	SPROF_MERGE_NONE, /* the thread runs no interpreter */
	SPROF_MERGE_MERGED,
	SPROF_MERGE_VERSION,  /* unknown version of the interpreter */
	SPROF_MERGE_NO_STATE, /* the thread's state was not found */
	SPROF_MERGE_NOT_READ, /* frames were not read at that moment */
	SPROF_MERGE_TORN,     /* frames could not be read, or have no end */
	SPROF_MERGE_NATIVE,   /* the native stack is incomplete */
	SPROF_MERGE_MISMATCH, /* numbers of evaluation loops and entry frames differ */
	SPROF_MERGE_SWITCH,   /* the thread is switching stacks */
	SPROF_MERGE_COUNT,
};

/* "merged", and the reasons: "version", "no-state", "not-read", ... */
const char *sprof_merge_name(enum sprof_merge merge);

/* How a caller's frame was found, from the most to the least reliable. */
enum sprof_way {
	SPROF_WAY_TABLES, /* CFI, or Go's table */
	SPROF_WAY_CODE,   /* the function's instructions */
	/* the frame pointer chain, or a return address left by a call */
	SPROF_WAY_FRAME_POINTER,
};

/* Registers for finding a frame's variables. 0: unknown. */
struct sprof_frame_registers {
	uint64_t sp;
	uint64_t fp; /* content of the frame pointer register, whether or not used as such */
};

/* The state from which a walk started. Valid as long as its view. */
struct sprof_stack_state {
	const uint64_t *registers; /* of the innermost frame, by DWARF number */
	uint64_t known;            /* bit n: registers[n] */
	/* the copied part of the stack, from `base` upwards */
	uint64_t base;
	const uint8_t *bytes;
	size_t size;
	const struct sprof_frame_registers *frames; /* one per frame of the stack */
};

/* A stack from the unwinder, innermost frame first. */
struct sprof_stack_view {
	const struct sprof_frame *frames;
	size_t count;
	enum sprof_end end;
	enum sprof_way way;    /* the least reliable way among its frames */
	uint64_t outermost_sp; /* sp of the last frame; 0: unknown */
	/* a pc in no executable memory, where the walk ended or an innermost frame was; 0: none */
	uint64_t lost_pc;
	enum sprof_merge merge;                /* with an interpreter's frames */
	const struct sprof_stack_state *state; /* NULL: not requested */
};

/*
 * A thread when first seen, and again whenever a field has changed. The sampler assigns ids from 0
 * and never reuses them; pids may be reused.
 */
struct sprof_thread_record {
	uint32_t id, process;
	pid_t pid, tid;
	const char *name;   /* comm, or the name given by the program */
	bool replaces_name; /* the previous name was the process's */
	/* the process's command line or comm; may be NULL if unchanged */
	const char *process_name;
};

/* Which threads are sampled: all, running or runnable ones, or blocked ones. */
enum sprof_mode {
	SPROF_MODE_WALL,
	SPROF_MODE_CPU,
	SPROF_MODE_WAIT,
	SPROF_MODE_COUNT,
};

/* "wall", "cpu", "wait". */
const char *sprof_mode_name(enum sprof_mode mode);
/* Whether the mode includes samples in a state, and times of a class. */
bool sprof_mode_takes(enum sprof_mode mode, enum sprof_state state);
bool sprof_mode_counts(enum sprof_mode mode, enum sprof_time_class class);

/* What a blocked thread waits for. */
enum sprof_wait_kind {
	SPROF_WAIT_KIND_NONE, /* not blocked, or unknown */
	SPROF_WAIT_KIND_IO,   /* files, pipes, sockets, devices; page faults */
	SPROF_WAIT_KIND_LOCK, /* futexes, file locks, System V semaphores */
	SPROF_WAIT_KIND_TIME,
	SPROF_WAIT_KIND_CHILD,
	SPROF_WAIT_KIND_IDLE,  /* a language runtime's thread without work */
	SPROF_WAIT_KIND_EVENT, /* any of several things: poll, epoll, signals */
	SPROF_WAIT_KIND_OTHER,
	SPROF_WAIT_KIND_COUNT,
};

/* "-", "io", "lock", "time", "child", "idle", "event", "other". */
const char *sprof_wait_kind_name(enum sprof_wait_kind kind);

enum sprof_lock_kind {
	SPROF_LOCK_UNKNOWN,
	SPROF_LOCK_MUTEX,
	SPROF_LOCK_CONDITION,
	SPROF_LOCK_RWLOCK,
	SPROF_LOCK_BARRIER,
	SPROF_LOCK_JOIN, /* the end of a thread */
	SPROF_LOCK_SEMAPHORE,
	SPROF_LOCK_INTERPRETER, /* the global lock of an interpreter */
	SPROF_LOCK_PYTHON,      /* threading.Lock: no owner is recorded */
	SPROF_LOCK_RUST,        /* Mutex or RwLock of std: no owner is recorded */
	SPROF_LOCK_PARKING,     /* of parking_lot: the futex is the waiter's own, not the lock's */
	SPROF_LOCK_COUNT,
};

/* "lock", "mutex", "condition variable", ... */
const char *sprof_lock_kind_name(enum sprof_lock_kind kind);

#define SPROF_WAIT_NONE 0u /* ids of waits count from 1 */
#define SPROF_RECORD_NONE UINT32_MAX

/* Facts from the memory of a lock, besides its kind. Valid only if the kind is right. */
struct sprof_lock_traits {
	/*
	 * A condition variable: bytes from its start to the pair of words that threads wait on,
	 * which differs between versions of glibc; 0: not known.
	 */
	int condition_words;
	/*
	 * A mutex or an rwlock: its owner or writer, if no thread of the process has this id; 0:
	 * not known.
	 */
	pid_t lost_owner;
	/*
	 * A mutex: the kernel has refused it, and the thread waits for ever; see blocked/futex.h.
	 */
	bool is_endless;
	bool is_limited; /* any lock: the wait ends at some time */
};

/*
 * What a thread does in the kernel: its system call and, if blocked, what it waits for. The sampler
 * looks this up once per distinct wait. The sampler owns the strings; they are valid during the
 * call.
 */
struct sprof_wait {
	int64_t system_call;       /* -1: none, as for a page fault */
	enum sprof_wait_kind kind; /* NONE: running */
	/* "pipe:[4711] from cat (4712)", or what a running call works on; NULL: none, or a futex */
	const char *object;
	/*
	 * For a futex: the lock that it belongs to, as far as its memory shows, and where its word
	 * is.
	 */
	uint64_t address; /* 0: no futex */
	enum sprof_lock_kind lock;
	struct sprof_lock_traits traits;
	bool shared;      /* may be shared with other processes */
	const char *area; /* "[heap]", "[stack]", "[anon]"; NULL: a module's data, or unknown */
	uint32_t module;  /* of a static variable; otherwise SPROF_RECORD_NONE */
	/*
	 * from the area's start (for a stack: from its end, which is constant), or from where the
	 * module's first byte is mapped
	 */
	uint64_t offset;
	/* The kernel stack, innermost first: names, or addresses. */
	const char *const *kernel;
	size_t kernel_count;
	const uint64_t *kernel_addresses;
	size_t kernel_address_count;
};

/* The holder of the lock that a thread waits for, at this sample. */
struct sprof_holder {
	uint32_t thread;
	uint32_t stack; /* of the holder's sample in the same tick; SPROF_RECORD_NONE: none */
};

/* What the kernel counts of a thread. */
enum sprof_counter {
	SPROF_COUNTER_VOLUNTARY, /* context switches */
	SPROF_COUNTER_INVOLUNTARY,
	SPROF_COUNTER_MINOR_FAULTS,
	SPROF_COUNTER_MAJOR_FAULTS,
	SPROF_COUNTER_READ_BYTES, /* by system calls, including pipes and sockets */
	SPROF_COUNTER_WRITTEN_BYTES,
	SPROF_COUNTER_DISK_READ_BYTES, /* from and to block devices */
	SPROF_COUNTER_DISK_WRITTEN_BYTES,
	SPROF_COUNTER_SIGNALS, /* delivered to it, including ignored ones */
	SPROF_COUNTER_COUNT,
};

/* Further facts from the kernel about a thread, from when sprof first saw it until now. */
struct sprof_thread_facts {
	pid_t own_pid, own_tid; /* in the innermost pid namespace; 0: unknown */
	int processor;          /* where it last ran; -1: unknown */
	bool has_switches, has_io;
	uint64_t counters[SPROF_COUNTER_COUNT];
	uint64_t max_rss_bytes; /* of its process so far; 0: unknown, or not the leader */
	/*
	 * from recorded switches, while sampling was on: waits and preemptions, and their time off
	 * the CPU
	 */
	bool has_waits;
	uint64_t waits, wait_ns, longest_wait_ns;
	uint64_t preemptions, preempted_ns;
};

struct sprof_sample {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t thread;
	uint32_t stack; /* its id from the sink's stack() */
	enum sprof_state state;
	/*
	 * the part of the thread's time that this sample explains: in its state, and in the run
	 * queue after its sleep. The samples of a class divide that class's time in this proportion
	 */
	uint64_t ns, queue_ns;
	bool is_further; /* adds time to an earlier observation, and is not one itself */
	/* its id from the sink's wait(); NONE: in no system call */
	uint32_t wait;
	const struct sprof_holder *holder; /* NULL: no lock, or no known holder */
	/* goroutine that the thread ran; 0: none, or not wanted */
	uint64_t goroutine;
	uint32_t cpu; /* CPU that it ran on, counted from 1; 0: not known, or not wanted */
};

/* A wait whose length is known, or a part of it. */
struct sprof_waited {
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t ns;               /* time that it represents: includes waits of unknown place */
	uint64_t waits;            /* number of waits; 0: further time of one that is counted */
	uint64_t longest_ns;
};

/* What the kernel has counted of a thread since the last charge. */
struct sprof_charge {
	struct sprof_times times;
	uint64_t faults; /* page faults, with and without input */
	bool last;       /* the thread has ended, or the run is over */
};

/*
 * Receives the sampler's records. Each function returns false only on a fatal lack of memory, which
 * ends the run.
 *
 * sample() may be called several times for a thread. charge() then gives what the kernel accounted
 * to the thread since the last charge(); it belongs to the samples since then.
 */
struct sprof_sink {
	void *data;
	bool (*thread)(void *data, const struct sprof_thread_record *record);
	bool (*stack)(void *data, const struct sprof_stack_view *stack, uint32_t *ret_id);
	bool (*sample)(void *data, const struct sprof_sample *sample);
	bool (*charge)(void *data, uint32_t thread, const struct sprof_charge *charge);
	/* Gives equal waits the same id. NULL: not wanted; then nothing is looked up. */
	bool (*wait)(void *data, const struct sprof_wait *wait, uint32_t *ret_id);
	/* Replaces the thread's earlier facts. NULL: not wanted. */
	bool (*facts)(void *data, uint32_t thread, const struct sprof_thread_facts *facts);
	/*
	 * Only the thread and the place of the wait in the sample are used, not its times. Blocked
	 * time is divided in proportion to these lengths. NULL: not wanted.
	 */
	bool (*waited)(
		void *data, const struct sprof_sample *where, const struct sprof_waited *waited);
	/* Sampling goes off: no thread's next sample continues its last one. NULL: not wanted. */
	void (*pause)(void *data);
};

/* Why the kernel takes no samples of running threads: saved as numbers. */
enum sprof_timers_denied {
	SPROF_TIMERS_PERMITTED, /* or not requested */
	SPROF_TIMERS_PARANOID,  /* kernel.perf_event_paranoid */
	SPROF_TIMERS_SECCOMP,
	SPROF_TIMERS_LOCKED_MEMORY,
	SPROF_TIMERS_OTHER,
	SPROF_TIMERS_FILES, /* limit of open files */
	SPROF_TIMERS_UNSUPPORTED,
	SPROF_TIMERS_USER_ONLY, /* of older recordings: kernel code may not be sampled */
};

/* The quality of a run: what sprof did, missed and cost. Times in ns. */
struct sprof_quality {
	pid_t target_pid;
	uint64_t duration_ns; /* while sampling was on */
	uint64_t off_ns;      /* sampling switched off by the user */
	double rate_hz;
	/*
	 * ticks: taken, or left out because timers sample every thread; late: at least a period
	 * after the deadline; missed: skipped because an earlier one was late
	 */
	uint64_t ticks, ticks_late, ticks_missed;
	uint64_t ticks_held_back; /* not taken, to keep the cost within the limit */
	uint64_t samples_by_kernel, samples_stopped, samples_peeked, samples_reused;
	uint64_t samples_lost; /* timer records lost because a ring was full */
	/* threads that were refused a timer by the kernel; times that it throttled one */
	uint64_t timers_refused, timers_throttled;
	uint64_t timers_denied; /* why no thread got a timer: enum sprof_timers_denied */
	uint64_t timers_unfit;  /* threads of Go or Python: their stacks take several copies */
	uint64_t stops, stop_ns_total, stop_ns_p50, stop_ns_p95, stop_ns_p99, stop_ns_max;
	uint64_t profiler_cpu_ns;
	/* the machine's CPUs, and the CPU time of all tasks in the meantime; cpus 0: unknown */
	uint64_t cpus, machine_cpu_ns;
	uint64_t frames;
	uint64_t stacks[SPROF_END_COUNT]; /* samples by the end of their stack */
	/* samples whose least reliable frame was found in this way */
	uint64_t stacks_by_code, stacks_by_frame_pointer;
	uint64_t unwind_ns_total;
	/* of these samples: with frames of an interpreter, or why not */
	uint64_t merges[SPROF_MERGE_COUNT];
	uint64_t frames_unresolved; /* distinct unresolved addresses; set after name resolution */
	uint64_t threads_seen, processes_seen;
	/* Beyond the memory bounds, shown as [other]; counted by the profile. */
	uint64_t samples_folded, threads_folded, waits_folded;
	/*
	 * The time that threads ran or wanted to run, and the part of it without a sample of the
	 * same thread: functions get it in proportion to the samples of similar threads. Filled
	 * after naming.
	 */
	uint64_t running_ns, estimated_ns;
	/*
	 * exact waits: their number; those whose place was lost; lost switch records; threads that
	 * the kernel did not let sprof record
	 */
	uint64_t exact_waits, exact_unplaced, exact_lost, exact_refused;
	/* waits looked up, and the time that took */
	uint64_t waits_looked_up, wait_ns_total;
	enum sprof_mode mode;
	/* the kernel does not provide schedstat: runq is unknown, reuse is off */
	bool schedstat_missing;
};

/* The number of samples of all kinds. */
static inline uint64_t sprof_quality_samples(const struct sprof_quality *quality)
{
	return quality->samples_by_kernel + quality->samples_stopped + quality->samples_peeked +
		quality->samples_reused;
}
