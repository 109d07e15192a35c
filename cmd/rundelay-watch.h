/*
 * Watches the run-queue delays of a process until it ends, the time is over or a signal says so.
 */
#ifndef SPROF_CMD_RUNDELAY_WATCH_H
#define SPROF_CMD_RUNDELAY_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/signals.h"
#include "events/rundelay.h"

struct sprof_rundelay_watch {
	struct sprof_rundelay *rundelay;
	struct sprof_signals *signals; /* blocked */
	int pid_fd;                    /* of the process (pidfd_open(2)) */
	uint64_t begin_ns;
	uint64_t duration_ns; /* 0: no limit */
	uint64_t interval_ns; /* 0: no intervals */
	/* the interval up to now_ns has ended; false: enough */
	bool (*end_interval)(void *data, uint64_t now_ns);
	void *data;
};

/* Returns when it is over. The last interval has not been told of. */
void sprof_rundelay_watch_run(const struct sprof_rundelay_watch *watch);

#endif
