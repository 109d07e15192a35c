/*
 * The sleep that a thread was last seen in, whose sample is repeated for as long as it lasts.
 */
#ifndef SPROF_SAMPLER_REUSE_H
#define SPROF_SAMPLER_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/account.h"

struct sampler;
struct sprof_thread;
struct sprof_proc_schedstat;

struct known_sleep {
	bool active;
	uint32_t skipped;             /* ticks since the last look */
	uint64_t timeslices;          /* the sleep is the same while these stay */
	uint64_t cpu_ns;              /* that the thread had used before it */
	struct sprof_figures figures; /* the kernel's, which stand still as long */
};

/* The thread was just seen asleep, with these figures. Without schedstat a sleep can't be told from the next. */
void sprof_reuse_begin(const struct sampler *sampler, struct known_sleep *sleep,
	const struct sprof_proc_schedstat *schedstat);

/* True: it sleeps on, and its sample is taken, or it was passed over. */
bool sprof_reuse(struct sampler *sampler, struct sprof_thread *thread);
/* Credits the ticks at which it was not looked at: it slept through them. */
void sprof_reuse_flush(struct sampler *sampler, struct sprof_thread *thread);

#endif
