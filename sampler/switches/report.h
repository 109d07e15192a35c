/* Hands waits to the sink: each once, with its length and its place. */
#ifndef SPROF_SAMPLER_SWITCHES_REPORT_H
#define SPROF_SAMPLER_SWITCHES_REPORT_H

#include "sampler/switches/exact.h"
#include "sampler/switches/switching.h"

/* A wait has ended. Hands over the part of it that no tick has handed over. */
void sprof_exact_report_ended(
	struct exact *exact, struct sprof_thread *thread, const struct off_interval *interval);
/* Hands over the waits without a place: no later one comes whose place they could get. */
void sprof_exact_report_rest(struct exact *exact, struct sprof_thread *thread);
/*
 * A tick sees the thread: if it waits, hands over what has passed of the wait. Returns false if its
 * blocked time is to be shared out by ticks.
 */
bool sprof_exact_report_seen(
	struct exact *exact, struct sprof_thread *thread, const struct sprof_sample *sample);

#endif
