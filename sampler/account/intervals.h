/*
 * Intervals of a thread's ledger: what ends them, and which samples get their time.
 */
#ifndef SPROF_SAMPLER_ACCOUNT_INTERVALS_H
#define SPROF_SAMPLER_ACCOUNT_INTERVALS_H

#include "sampler/account/samples.h"

/*
 * Ends an interval, unless one has ended after `since_ns`. Records that were observed in it share
 * its CPU time.
 */
void sprof_interval_read(struct samples *samples, struct sprof_thread *thread, uint64_t since_ns);

/* A look ends an interval. Returns the time that it explains. */
uint64_t sprof_interval_end(struct samples *samples, const struct observation *observation);

/*
 * The thread's sleep, if it is in one, has lasted until then. With `reads`, the thread's figures
 * are read to check that. Returns false if it has not run.
 */
void sprof_interval_sleep(
	struct samples *samples, struct sprof_thread *thread, uint64_t time_ns, bool reads);

/* By these figures, a look finds that a thread no longer sleeps that was seen asleep. */
void sprof_interval_woke(
	struct samples *samples, struct sprof_thread *thread, const struct ledger_look *look);

#endif
