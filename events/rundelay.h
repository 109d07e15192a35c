/*
 * How long the threads of one process wait for a CPU, from the best source that is permitted. The
 * process is never stopped, and nothing of it is changed.
 *
 * The sources, the best first:
 * - the scheduler's tracepoints: every delay, exactly. On a Linux 6.18 there are tasks, such as one
 *   CPU's idle task, from which no perf event gets a sched_switch, of whatever tool, so that nobody
 *   sees who follows them on the CPU. So switch records stand beside the tracepoints, and fill in
 *   what is missing;
 * - switch records and schedstat: every delay after a preemption, exactly; number and sum of those
 *   after a sleep;
 * - schedstat alone: number and sum of all.
 */
#ifndef SPROF_EVENTS_RUNDELAY_H
#define SPROF_EVENTS_RUNDELAY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/delays.h"
#include "events/sched-order.h"
#include "events/sched-tracepoints.h"
#include "events/switches.h"

/* What the user asks for. */
enum sprof_rundelay_request {
	SPROF_RUNDELAY_AUTO,
	SPROF_RUNDELAY_PERF, /* tracepoints or switch records */
	SPROF_RUNDELAY_PROC, /* schedstat alone */
};

enum sprof_rundelay_source {
	SPROF_RUNDELAY_TRACEPOINTS,
	SPROF_RUNDELAY_SWITCHES,
	SPROF_RUNDELAY_SCHEDSTAT,
};

struct sprof_rundelay_options {
	enum sprof_rundelay_request request;
	uint64_t than_ns; /* see struct sprof_delay_options */
	bool per_thread;
};

enum sprof_rundelay_begun {
	SPROF_RUNDELAY_BEGUN,
	SPROF_RUNDELAY_DENIED, /* no perf source is permitted, and one was asked for */
	SPROF_RUNDELAY_GONE,   /* the process has ended, or hides its threads */
};

struct sprof_rundelay {
	pid_t pid;
	enum sprof_rundelay_source source;
	/* why these are not the source: PERMITTED if they are, or nobody has tried */
	struct sprof_perf_denial no_tracepoints, no_switches;
	bool has_both; /* switch records beside the tracepoints */
	struct sprof_sched_tracepoints tracepoints;
	struct sprof_switches switches;
	struct sprof_sched_order order;
	struct sprof_delays delays;
	uint64_t previous_ns;                 /* of the last poll */
	uint64_t reading_due_ns, list_due_ns; /* when schedstat, and the threads, are read again */
	uint64_t lost_before;                 /* records, at the last look at the threads */
	uint64_t readings;
};

/* Begins to watch a process, which may be one that waits for its exec. Finish it in any case. */
SPROF_MUST_USE enum sprof_rundelay_begun sprof_rundelay_begin(
	struct sprof_rundelay *rundelay, pid_t pid, const struct sprof_rundelay_options *options);

/* A descriptor that becomes readable when a ring fills up, and poll() is urgent; -1: there is none. */
int sprof_rundelay_fd(const struct sprof_rundelay *rundelay);

/* Reads what has happened; to be called each 20 ms (SPROF_RUNDELAY_PERIOD_NS). */
enum { SPROF_RUNDELAY_PERIOD_NS = 20 * 1000 * 1000 };
void sprof_rundelay_poll(struct sprof_rundelay *rundelay, uint64_t now_ns);

/* Takes everything in that has happened up to now. Nothing is recorded any more from then on. */
void sprof_rundelay_end(struct sprof_rundelay *rundelay, uint64_t now_ns);

/* Zeroed is accepted. */
void sprof_rundelay_finish(struct sprof_rundelay *rundelay);

#endif
