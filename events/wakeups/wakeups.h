/*
 * When each thread of the target gets a CPU and leaves it, and what wakes it: the moments of a run,
 * in order of time. Needs the tracepoint sched:sched_waking: CAP_PERFMON and a readable tracefs.
 *
 * A wake-up by an interrupt has no waker: the thread that was interrupted has nothing to do with
 * it. The kernel notes that in each record. Work that it does after an interrupt, such as that of
 * the network, may be done for a thread that sends, or for a device: it can't be known for which.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/moment.h"
#include "events/perf/event.h"
#include "events/source.h"

struct sprof_wakeups;

struct sprof_wakeups_sink {
	void *data;
	/* Each returns false if out of memory, which ends the run. */
	bool (*moment)(void *data, const struct sprof_moment *moment);
	/* Gives an index to the name of a thread that is not of the target. */
	bool (*name)(void *data, const char *name, uint32_t *ret);
};

struct sprof_wakeups_figures {
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC: of the recording */
	uint64_t lost;             /* records lost because a ring was full */
	uint32_t unwatched;        /* threads that could not be watched on a CPU */
};

/* Returns false if the kernel does not permit it, or out of memory. */
SPROF_MUST_USE bool sprof_wakeups_create(const struct sprof_wakeups_sink *sink,
	bool follow_children, struct sprof_wakeups **ret, struct sprof_perf_denial *ret_denial);
/* NULL is accepted. */
void sprof_wakeups_destroy(struct sprof_wakeups *wakeups);

/* The two sources: of records, and of births and ends. They want the target's births reported. */
enum { SPROF_WAKEUPS_SOURCES = 2 };
void sprof_wakeups_sources(
	struct sprof_wakeups *wakeups, struct sprof_event_source ret[SPROF_WAKEUPS_SOURCES]);

struct sprof_wakeups_figures sprof_wakeups_figures(const struct sprof_wakeups *wakeups);
