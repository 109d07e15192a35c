/*
 * What the sink is told of waits: each once, with its length and its place.
 */
#ifndef SPROF_SAMPLER_SWITCHES_EXACT_TELL_H
#define SPROF_SAMPLER_SWITCHES_EXACT_TELL_H

#include "sampler/switches/exact.h"
#include "sampler/switches/switching.h"

/* A wait has ended, while its results count. What a tick has told of it is not told again. */
void sprof_exact_tell_ended(
	struct exact *exact, struct sprof_thread *thread, const struct off_interval *interval);
/* Waits without a place: no place comes any more that could stand for them. */
void sprof_exact_tell_rest(struct exact *exact, struct sprof_thread *thread);
/*
 * A tick sees the thread: if it waits, what has passed of that. False: its blocked time is to be shared
 * out by ticks.
 */
bool sprof_exact_tell_seen(
	struct exact *exact, struct sprof_thread *thread, const struct sprof_sample *sample);

#endif
