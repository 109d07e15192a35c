/*
 * What the sampler remembers of a thread and of a process. A thread has these states:
 *
 *   sleep    AWAKE -a look finds it blocked-> ASLEEP -woke, executed, restarted-> AWAKE.
 *
 *   wait     NONE -> WAITING -runs, executed, restarted-> NONE. While WAITING, each sample looks up
 *            the holder of the lock, if it is a lock.
 *
 *   is_late  its stop missed its tick and is under way; the sample is taken when it comes.
 *
 *   timer    NONE -opened-> OPENING -recorded-> OPEN. All -closed-> NONE. After `given up` it stays
 *            closed until an exec. The first record comes after a whole period, so a thread that
 *            works in short bursts may have none for long. While OPENING, stops take the samples.
 *
 * ledger and copy have functions of their own (sampler/account/ledger.h, sampler/stack/copy.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/proc/procfs.h"
#include "attach/thread.h"
#include "base/cpu-clock.h"
#include "base/record.h"
#include "blocked/futex.h"
#include "sampler/account/account.h"
#include "sampler/account/ledger.h"

struct sprof_go_runtime;
struct sprof_perf_timer;
struct switching;
struct sprof_interp_process;
struct sprof_interp_thread;

struct known_sleep {
	/* it lasts, for all that is known, and its figures distinguish it from the next one */
	bool active;
	uint64_t seen_ns, timeslices;
};

/* A lock that a thread waits for. Its holder is looked up as long as the wait lasts. */
struct lock_watch {
	struct sprof_futex futex; /* address 0: it waits for no lock */
	pid_t holder_tid;         /* at the last look; 0: none, or not known */
	/* since when the thread itself has been seen as the holder; 0: it is not */
	uint64_t own_ns;
};

/* The thread's last known wait, and what identifies it. */
struct known_wait {
	struct lock_watch lock;
	uint32_t id; /* the sink's; SPROF_WAIT_NONE: in no call, or waits are not wanted */
	uint64_t sp, argument; /* the call's sp and first argument; last_call may be a later one */
	/* an event loop repeats its call, and until then waits for the same; 0: the thread runs */
	uint64_t fresh_until_ns;
};

/* The last call that the thread was seen in, running or not; never restart_syscall(2). */
struct last_call {
	int64_t number;
	uint64_t sp;
};

/* The CPU that the thread was last seen on; it may have moved since. */
struct known_cpu {
	int number;       /* -1: not known */
	bool pinned;      /* to that CPU */
	uint64_t rank;    /* of the thread, if it is a real-time one: sampler/stop/hop.h */
	uint64_t seen_ns; /* seen running then; 0: too old to believe */
};

struct last_seen {
	uint32_t stack;
	enum sprof_state state;
	enum sprof_end end;
	enum sprof_way way;
	enum sprof_merge merge;
	uint64_t goroutine; /* 0: none, or not wanted */
};

/* How its stack is copied: how much, and where its own stack lies. Walks update that. */
struct copy_plan {
	size_t size; /* in bytes; grows if it was too little */
	/* its own stack: the end of the mapping, and the last sp */
	uint64_t home_end, home_sp;
	size_t goroutine_size; /* of a goroutine's stack, in bytes; 0: not a Go thread */
};

/* The thread's timer in the kernel (sampler/timer/kernel.h). Zeroed has none, and had none. */
struct timed {
	struct sprof_perf_timer *timer; /* NULL: none */
	bool is_open;                   /* it has made a record */
	bool given_up;
	bool leads_away; /* its stack was in two places when it was last seen; a stop copies both */
	size_t stack_size; /* of its copies, in bytes */
	size_t next_size;  /* size of copies of the timer that is to replace it; 0: it may stay */
	size_t needed;  /* the largest part of a copy that a complete stack has needed, in bytes */
	uint32_t whole; /* complete stacks that may still make the copies smaller */
	double cut_share; /* of recent stacks, those that no larger copy makes complete */
	size_t room;      /* number of records that its ring holds */
	uint64_t period_ns;
	uint64_t paced_ns;      /* when it got that period */
	uint32_t paced_records; /* records since then */
	uint64_t timeslices;    /* in the tick that read its last record */
};

/*
 * What is remembered of a thread (struct sprof_thread's `sampling`). The fields that each tick
 * reads of each sleeper come first: with many threads, fetching them takes the time.
 */
struct sampled {
	struct ledger ledger;
	struct known_sleep sleep;
	struct known_wait wait;
	struct last_call last_call;
	uint64_t turn_ns;  /* the last tick that looked at it */
	uint64_t asked_ns; /* the last tick that asked for its stop */
	/* its figures just before its stop was requested */
	struct ledger_look requested;
	/* where it was last known to be, should it hold a lock: a stack of the sink */
	uint64_t place_ns;
	uint32_t place;
	struct sprof_account account;
	uint64_t stood_ns; /* time in our stops, from when we saw each, that was not charged yet */
	bool has_ended;    /* its end was seen; it is kept until it is released */
	bool is_late;      /* its stop has missed the tick that asked for it */
	struct last_seen last;
	struct sprof_holder holder; /* of the lock that its last sleep is for; thread NONE: none */
	struct known_cpu cpu;
	struct copy_plan copy;
	struct timed timed;
	/* sampler/switches/exact.c; NULL: its switches are not recorded */
	struct switching *switching;
	/* sampler/stack/interpreted.c; NULL: it runs no interpreter */
	struct sprof_interp_thread *script;
	bool sought_thread;                  /* its thread pointer was looked for */
	uint64_t faults, faults_ns;          /* page faults so far, and when that was read */
	pid_t own_tid;                       /* its id inside its process's pid namespace */
	uint64_t first[SPROF_COUNTER_COUNT]; /* counted before its first sight */
	char name[SPROF_COMM_MAX];
};

/* sampler/stack/mappings.c's state of a process. Times are CLOCK_MONOTONIC. */
struct known_mappings {
	uint64_t read_ns;    /* 0: never */
	uint64_t cost_ns;    /* CPU time of that read */
	uint64_t generation; /* of the process's mappings then */
	bool is_unchanged;   /* that read found no change */
	bool lacks_code;     /* and it lacked the code that the kernel had reported */
	bool can_ask;        /* the kernel has answered a question about one mapping */
	const struct sprof_perf_timer_record *record; /* being unwound; NULL: none is */
	bool is_kept; /* it is unwound without the mappings that its thread has made since */
	/* Counts up whenever the mappings may have changed; and its value at the last read. */
	uint64_t change, read_change;
	uint64_t late_ns;                  /* the last tick that took long enough for a change */
	const struct sprof_go_runtime *go; /* NULL: none known */
	unsigned go_count; /* number of Go runtimes that `go` was last looked up among */
	/* C code calls Go's, or may: also the own stack of a thread on a goroutine's is copied */
	bool is_go_called;
};

/* sampler/tick/reuse.c's state of a process. CPU times in ns, moments in ns of CLOCK_MONOTONIC. */
struct known_quiet {
	bool is_quiet;  /* none of its sleepers has run since the last tick */
	bool has_woken; /* that was so for the last tick, and is not for this one */
	bool has_awake; /* it has threads that are not known to sleep */
	/* sleepers that wait for a lock, in this tick so far and in the tick before */
	uint64_t waiters, last_waiters;
	uint64_t quiet_ns;   /* the last tick that found it quiet */
	uint64_t moved_ns;   /* the last tick that found a sleeper that had run */
	uint64_t threads_ns; /* CPU time of its threads, as of this tick */
	bool has_rest;       /* the time below belongs to this tick, or to the last one */
	uint64_t rest_ns;    /* the process's clock minus that */
	/* the rest while no sleeper had run: mostly of ended threads */
	uint64_t known_rest_ns;
};

/* What is remembered of a process (struct sprof_process's `sampling`). */
struct sampled_process {
	struct known_mappings mappings;
	struct known_quiet quiet;
	/* sampler/stack/interpreted.c; NULL: it has no interpreter */
	struct sprof_interp_process *script;
	/* of its first thread: new threads begin with it; "": not known */
	char comm[SPROF_COMM_MAX];
	bool is_named; /* the sink knows its command line */
	struct sprof_cpu_clock clock;
	/* sampler/switches/exact.c: the last reading that doubted its mappings */
	uint64_t exact_ns;
	uint64_t workers_ns; /* the last tick that looked for new workers of the kernel */
	/* the last tick that found a thread in the kernel, or with many page faults */
	uint64_t entered_ns;
};

/* Returns the record of the process, created if new; NULL if out of memory. */
struct sampled_process *sprof_sampled_process_of(struct sprof_process *process);
void sprof_sampled_process_forget(struct sprof_process *process);

/* Sampling begins, or resumes: what was counted before these figures does not belong to the run. */
void sprof_sampled_begin(
	struct sampled *sampled, const struct sprof_figures *start, uint64_t timeslices);

/* The thread runs another program: its sleep and wait belonged to the old one. */
void sprof_sampled_executed(struct sampled *sampled);
/* A new sink begins: ids of the old sink become invalid. */
void sprof_sampled_restarted(struct sampled *sampled);
