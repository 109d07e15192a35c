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

struct samples {
	struct run *run;
	const struct sprof_sink *sink;
	struct deferred *deferred;
	size_t deferred_count, deferred_capacity;
};

/* The caller keeps all pointed-to objects alive longer. */
void sprof_samples_init(struct samples *samples, struct run *run, const struct sprof_sink *sink);
void sprof_samples_finish(struct samples *samples);

/* Hands over further time of the thread's last sleep, and the wait for a CPU that followed it. */
void sprof_samples_sleep_on(
	struct samples *samples, struct sprof_thread *thread, uint64_t ns, uint64_t queue_ns);
/* Hands the observation's sample over to the sink, for that time: now or later. */
void sprof_samples_emit(
	struct samples *samples, const struct observation *observation, uint64_t ns);
/* A timer's record, which waits for its share of the thread's time. */
void sprof_samples_add_record(struct samples *samples, const struct observation *observation,
	const struct last_seen *seen, uint32_t wait);
/* Returns whether the thread has deferred records. Hands them over, in equal shares of ns. */
bool sprof_samples_have_records(const struct samples *samples, const struct sprof_thread *thread);
void sprof_samples_share(struct samples *samples, const struct sprof_thread *thread, uint64_t ns);
/* At the end of the tick, hands over deferred samples. NULL: of all threads. */
void sprof_samples_flush(struct samples *samples, const struct sprof_thread *thread);

#endif
