/*
 * One tick: how each thread is sampled.
 */
#pragma once

#include "sampler/loop/schedule.h"
#include "sampler/timer/kernel.h"

/* peek.c: the sample of a thread that sleeps, taken while it sleeps. */
enum peek_outcome {
	PEEK_TAKEN,
	PEEK_NOTHING, /* it has ended */
	/* it stands in an uncollected stop of ours: this tick has no sample of it */
	PEEK_IN_STOP,
	PEEK_AWAKE, /* it runs, or has moved meanwhile: only a stop can sample it */
	PEEK_NO_MEMORY,
};

/* Zeroed is empty and valid. */
struct peeking {
	struct copy_buffer buffer;
	struct sprof_snapshot snapshot; /* of the last observation */
};

/* What was just read of the thread: it did not run. */
struct peek_sight {
	uint64_t tick_ns;
	struct sprof_proc_schedstat schedstat;
	struct sprof_proc_syscall call;
};

/* The observation's snapshot is valid until the next peek. */
enum peek_outcome sprof_peek(struct peeking *peeking, const struct run *run,
	struct sprof_thread *thread, const struct peek_sight *sight, struct observation *ret);

/*
 * The process does not let us read where its threads sleep. The observation has no stack.
 * AWAKE: the thread does not sleep.
 */
enum peek_outcome sprof_peek_denied(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *ret);

/*
 * The same for a worker of the kernel in the process, such as io_uring's, even if it runs: it has
 * no user code, and a stop would break off what it does. NOTHING: it is no worker, or has ended.
 */
enum peek_outcome sprof_peek_worker(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *ret);

/*
 * reuse.c: at the beginning of a tick, finds out which processes are quiet: none of their sleepers
 * ran since the last tick, so they need no look. Returns whether a process is no longer quiet.
 */
bool sprof_quiet_look(const struct run *run);
/*
 * Whether the thread sleeps on, as the clock of its process shows, so that this tick needs no look
 * at it. `is_first`: in the first round of the tick.
 */
bool sprof_reuse_is_spared(const struct run *run, const struct sprof_thread *thread, bool is_first);
/*
 * For a thread that was last seen asleep. Returns whether it sleeps on: its last sample is
 * repeated. If it has run, or may have, only the observation's look is filled in.
 */
bool sprof_reuse(const struct run *run, struct sprof_thread *thread, struct observation *ret);

/*
 * running.c: whether a thread runs, or waits for a CPU. Notes its CPU and its page faults with the
 * thread. stat shows all that, but costs more than all other reads of a tick. So the CPU of a
 * thread that goes on running is believed for a while, unless samples are to show it. If that is
 * wrong, the stop takes longer, but is still right.
 */
bool sprof_running_is(const struct run *run, struct sprof_thread *thread);

struct ticking {
	struct run *run;
	struct book *book;
	struct stops *stops;
	struct kernel *kernel; /* asked before the stops; NULL: not in use */
	const struct sprof_schedule *schedule;
	struct peeking peeking;
	unsigned round;        /* of turns in this tick */
	bool has_missed;       /* some threads get another turn in it */
	uint64_t unsettled_ns; /* the last tick with a thread that timers do not cover */
};

/* Samples every thread. `closing`: charges all time up to now. The caller counts the tick. */
void sprof_tick(struct ticking *ticking, bool closing);

/*
 * How many ticks may now pass without a look: 0, unless timers have covered all threads for a while
 * (sprof_kernel_covers()).
 */
uint64_t sprof_tick_most_spared(const struct ticking *ticking);
