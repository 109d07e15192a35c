/*
 * Reads what the kernel counts of a thread: its times, switches, faults and bytes.
 */
#ifndef SPROF_SAMPLER_ACCOUNT_FIGURES_H
#define SPROF_SAMPLER_ACCOUNT_FIGURES_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/record.h"
#include "sampler/account/account.h"
#include "sampler/world.h"

/* Read at one moment. Exact if the thread was off the CPU, or had just been stopped. */
struct reading {
	struct sprof_figures figures; /* except for the machine's */
	struct sprof_thread_facts facts;
	struct sprof_proc_schedstat schedstat;
};

/* Returns false if the thread is gone. */
SPROF_MUST_USE bool sprof_reading_take(
	const struct sprof_world *world, struct sprof_thread *thread, struct reading *ret);

/*
 * The first figures of a thread that was born during the run: all that it has used belongs to the
 * run.
 */
struct sprof_figures sprof_figures_at_birth(
	const struct sprof_world *world, struct sprof_thread *thread);

/* Subtracts what was counted before. */
void sprof_facts_subtract(
	struct sprof_thread_facts *facts, const uint64_t first[SPROF_COUNTER_COUNT]);

#endif
