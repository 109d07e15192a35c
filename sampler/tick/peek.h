/*
 * The sample of a thread that sleeps, taken while it sleeps.
 */
#ifndef SPROF_SAMPLER_TICK_PEEK_H
#define SPROF_SAMPLER_TICK_PEEK_H

#include "sampler/loop/run.h"
#include "sampler/observation.h"
#include "sampler/stack/copy.h"

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

void sprof_peek_finish(struct peeking *peeking);

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
 * The same for a worker of the kernel in the process, such as io_uring's, even if it runs: it has no user
 * code, and a stop would break off what it does. NOTHING: it is no worker, or it has ended.
 */
enum peek_outcome sprof_peek_worker(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *ret);

#endif
