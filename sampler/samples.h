/*
 * Samples on their way to the sink: at once, or at the end of the tick.
 */
#ifndef SPROF_SAMPLER_SAMPLES_H
#define SPROF_SAMPLER_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/record.h"

struct sampler;
struct sprof_thread;

/* The last sample of a thread that is there still: where a holder was. */
struct last_sample {
	uint64_t tick_ns;
	uint32_t thread;
	uint32_t stack; /* of a free place: the next free one */
};

/* A sample that waits for the end of the tick, when the holder of its lock has been sampled too. */
struct deferred {
	struct sprof_thread *thread;
	struct sprof_sample sample;
	uint32_t times;
	uint32_t holder_id;
};

/* Zeroed is empty and valid. */
struct samples {
	struct sprof_idmap places; /* thread id -> place in `last` */
	struct last_sample *last;
	size_t last_count, last_capacity;
	uint32_t free_place; /* plus one; 0: none */
	struct deferred *deferred;
	size_t deferred_count, deferred_capacity;
};

void sprof_samples_finish(struct samples *samples);

/* The thread has ended; all samples so far went to another sink. */
void sprof_samples_forget(struct samples *samples, const struct sprof_thread *thread);
void sprof_samples_forget_all(struct samples *samples);

/* What the thread was seen in goes to the sink, `times` times; now or at the end of the tick. */
void sprof_samples_emit(struct sampler *sampler, struct sprof_thread *thread, uint32_t times);
/* The end of the tick: what was put off goes to the sink. NULL: of all threads. */
void sprof_samples_flush(struct sampler *sampler, const struct sprof_thread *thread);
/* A tick passes in which the thread is taken to be where it was. */
void sprof_samples_stays(struct sampler *sampler, const struct sprof_thread *thread);

#endif
