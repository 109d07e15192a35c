/*
 * How long a process's threads wait for a CPU, from the best permitted source. The process is
 * neither stopped nor changed.
 *
 * The sources, the best first:
 * - scheduler tracepoints: every delay, exactly. On Linux 6.18, perf misses the sched_switch of
 * some tasks, such as one CPU's idle task, for every tool, and so the thread that runs next. Switch
 * records are opened as well to fill these gaps;
 * - switch records and schedstat: every delay after a preemption, exactly; number and sum of delays
 * after a sleep;
 * - schedstat alone: number and sum of all.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/sched/delays.h"
#include "events/perf/sched-order.h"
#include "events/sched/switches.h"
#include "events/sched/tracepoints.h"

/* The source that the user asked for. */
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
	size_t ring_size; /* bytes for each CPU, a power of two; 0: what is permitted, up to 4 MiB */
	/* see struct sprof_delay_options */
	void (*noted)(void *data, const struct sprof_delay_event *event);
	void *data;
};

enum sprof_rundelay_begun {
	SPROF_RUNDELAY_BEGUN,
	SPROF_RUNDELAY_DENIED, /* no perf source is permitted, and the user asked for one */
	SPROF_RUNDELAY_GONE,   /* the process has ended, or its threads can't be listed */
};

struct sprof_rundelay {
	pid_t pid;
	enum sprof_rundelay_source source;
	/* why these are not used; PERMITTED if they are, or were not tried */
	struct sprof_perf_denial no_tracepoints, no_switches;
	size_t ring_size;
	bool has_both; /* switch records in addition to tracepoints */
	struct sprof_sched_tracepoints tracepoints;
	struct sprof_switches switches;
	struct sprof_sched_order order;
	struct sprof_delays delays;
	uint64_t previous_ns; /* of the last poll */
	/* when to read schedstat, and the list of threads, again */
	uint64_t reading_due_ns, list_due_ns;
	uint64_t lost_before;   /* records lost when the threads were last listed */
	uint64_t unseen_before; /* wake-ups without a record when schedstat was last read */
	uint64_t readings;
};

/* Begins to watch a process; it may still be waiting for its exec. Finish it in any case. */
SPROF_MUST_USE enum sprof_rundelay_begun sprof_rundelay_begin(
	struct sprof_rundelay *rundelay, pid_t pid, const struct sprof_rundelay_options *options);

/* A descriptor that becomes readable when a ring fills up and poll() is urgent; -1: none. */
int sprof_rundelay_fd(const struct sprof_rundelay *rundelay);

/* Reads new records; to be called every 20 ms (SPROF_RUNDELAY_PERIOD_NS). */
enum { SPROF_RUNDELAY_PERIOD_NS = 20 * 1000 * 1000 };
void sprof_rundelay_poll(struct sprof_rundelay *rundelay, uint64_t now_ns);

/* Reads everything up to now_ns and stops recording. */
void sprof_rundelay_end(struct sprof_rundelay *rundelay, uint64_t now_ns);

/* Zeroed is accepted. */
void sprof_rundelay_finish(struct sprof_rundelay *rundelay);
