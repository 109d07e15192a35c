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

struct known_sleep {
	bool active;
	uint32_t skipped;             /* ticks since the last look */
	uint64_t timeslices;          /* the sleep is the same while these stay */
	struct sprof_figures figures; /* the kernel's, which stand still as long */
};

/* True: it sleeps on, and its sample is taken, or it was passed over. */
bool sprof_reuse(struct sampler *sampler, struct sprof_thread *thread);
/* Credits the ticks at which it was not looked at: it slept through them. */
void sprof_reuse_flush(struct sampler *sampler, struct sprof_thread *thread);

#endif
