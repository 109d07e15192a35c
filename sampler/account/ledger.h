/*
 * The ledger of a thread's time, in ns. Each reading of the kernel's figures ends an interval. What
 * the thread did in it is kept here until a sample explains it.
 */
#ifndef SPROF_SAMPLER_ACCOUNT_LEDGER_H
#define SPROF_SAMPLER_ACCOUNT_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/proc/procfs.h"

/* A reading. */
struct ledger_look {
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0: nothing was read */
	struct sprof_proc_schedstat figures;
};

struct ledger {
	struct ledger_look last;
	uint64_t ran_ns; /* the last reading before which it had a CPU */
	/* what no sample explains yet: on a CPU; in the run queue behind the sleep that was seen */
	uint64_t running_ns, queue_ns;
	int64_t asleep_ns; /* on no CPU; below 0: the kernel has added CPU time late */
};

/* All that is counted up to this reading is left out. */
void sprof_ledger_begin(struct ledger *ledger, const struct ledger_look *look);

/*
 * Ends an interval. `slept`: it began in a sleep that was seen. `sleeps`: it ends in one. If it
 * does neither, and the thread has had no other turn on a CPU, it has not slept.
 */
void sprof_ledger_read(
	struct ledger *ledger, const struct ledger_look *look, bool slept, bool sleeps);

/* Take what a sample explains. */
uint64_t sprof_ledger_take_running(struct ledger *ledger);
uint64_t sprof_ledger_take_queue(struct ledger *ledger);
/* The n-th part of it; the rest stays for the next sleep that is seen. */
uint64_t sprof_ledger_take_asleep(struct ledger *ledger, int64_t part);

#endif
