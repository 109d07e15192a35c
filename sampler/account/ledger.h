/*
 * The ledger of a thread's time, in ns. Each reading of the kernel's figures ends an interval. What
 * the thread did in it is kept here until a sample explains it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/proc/procfs.h"

struct ledger_look {
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0: nothing was read */
	struct sprof_proc_schedstat figures;
};

struct ledger {
	struct ledger_look last;
	uint64_t ran_ns; /* time of the last reading that shows a turn on a CPU */
	/* what no sample explains yet: on a CPU; in the run queue after a sleep that was seen */
	uint64_t running_ns, queue_ns;
	int64_t asleep_ns; /* asleep; negative if the kernel has added CPU time late */
};

/* Starts at this reading; earlier time is left out. */
void sprof_ledger_begin(struct ledger *ledger, const struct ledger_look *look);

/*
 * Ends an interval. `slept`: a sleep was seen at its start; `sleeps`: at its end. If there was
 * neither, and no further turn on a CPU, the thread did not sleep.
 */
void sprof_ledger_read(
	struct ledger *ledger, const struct ledger_look *look, bool slept, bool sleeps);

/* Returns the time and sets it to 0: a sample explains all of it. */
uint64_t sprof_ledger_take(uint64_t *ns);
/* Takes 1/part of the time asleep; the rest stays for the next sleep that is seen. */
uint64_t sprof_ledger_take_asleep(struct ledger *ledger, int64_t part);
