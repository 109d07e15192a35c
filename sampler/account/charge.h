/*
 * Hands out the time that the kernel has accounted to a thread.
 */
#ifndef SPROF_SAMPLER_ACCOUNT_CHARGE_H
#define SPROF_SAMPLER_ACCOUNT_CHARGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/account/figures.h"
#include "sampler/loop/run.h"
#include "sampler/sampled.h"

struct charging {
	struct run *run;
	struct sprof_proc_cpus cpus; /* time that the machine's CPUs have lost */
	uint64_t cpus_ns;            /* when that was read; 0: never */
};

/* The CPU figures of the machine, not older than half of a window. */
const struct sprof_proc_cpus *sprof_charge_cpus(struct charging *charging);

/* Whether a window is full at now_ns. */
bool sprof_charge_is_due(
	const struct charging *charging, const struct sampled *sampled, uint64_t now_ns);
/* Hands out the window's time. `reading`: the figures; NULL: reads them, and they must be exact. */
bool sprof_charge_window(
	struct charging *charging, struct sprof_thread *thread, const struct reading *reading);
/* The thread has ended, though the kernel does not say so yet. Its time ends here. */
void sprof_charge_ended(struct charging *charging, struct sprof_thread *thread);
/*
 * Hands out the rest: charged time gets no further samples. `with_figures`: the thread's figures
 * are exact now, and not all of them have been handed out.
 */
void sprof_charge_last(struct charging *charging, struct sprof_thread *thread, bool with_figures);

/*
 * What the thread uses from now on does not count, until sprof_charge_resume(). It was charged up
 * to time_ns, unless it got no CPU to stop on: then its figures are charged as they are.
 */
void sprof_charge_pause(struct charging *charging, struct sprof_thread *thread, uint64_t time_ns);
void sprof_charge_resume(struct charging *charging, struct sprof_thread *thread);

#endif
