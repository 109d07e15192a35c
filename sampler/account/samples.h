/*
 * Samples on their way to the sink: at once, or at the end of the tick.
 */
#ifndef SPROF_SAMPLER_ACCOUNT_SAMPLES_H
#define SPROF_SAMPLER_ACCOUNT_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "sampler/loop/run.h"
#include "sampler/observation.h"

struct last_seen;

/*
 * A deferred sample. It waits for the end of the tick, when the holder of its lock has been sampled
 * too; a timer's record waits until the thread's other records have been read.
 */
struct deferred {
	struct sprof_thread *thread;
	struct sprof_sample sample;
	pid_t holder_tid; /* of its lock; 0: none */
	bool is_record;
};

/* Zeroed, except for the run, is empty and valid. */
struct samples {
	struct run *run;
	struct deferred *deferred;
	size_t deferred_count, deferred_capacity;
};

void sprof_samples_finish(struct samples *samples);

/* Hands the observation's sample over to the sink, for that time: now or later. */
void sprof_samples_emit(
	struct samples *samples, const struct observation *observation, uint64_t ns);
/* A timer's record, which waits for its share of the thread's time. */
void sprof_samples_add_record(struct samples *samples, const struct observation *observation,
	const struct last_seen *seen, uint32_t wait);
/* Returns whether the thread has deferred records. */
bool sprof_samples_have_records(const struct samples *samples, const struct sprof_thread *thread);
/* At the end of the tick, hands over deferred samples. NULL: of all threads. */
void sprof_samples_flush(struct samples *samples, const struct sprof_thread *thread);

/*
 * Ends an interval, unless one has ended after `since_ns`. Records that were observed in it share
 * its CPU time.
 */
void sprof_interval_read(struct samples *samples, struct sprof_thread *thread, uint64_t since_ns);

/* A look ends an interval. Returns the time that it explains. */
uint64_t sprof_interval_end(struct samples *samples, const struct observation *observation);

/*
 * The thread's sleep, if it is in one, has lasted until then. With `reads`, the thread's figures
 * are read to check that.
 */
void sprof_interval_sleep(
	struct samples *samples, struct sprof_thread *thread, uint64_t time_ns, bool reads);

/* By these figures, a look finds that a thread no longer sleeps that was seen asleep. */
void sprof_interval_woke(
	struct samples *samples, struct sprof_thread *thread, const struct ledger_look *look);

#endif
