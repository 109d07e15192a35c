/*
 * Page faults as events: the kernel records them with registers and stack, without stopping the
 * thread. Each record represents a number of faults. When a thread ends, the faults that the kernel
 * counted but did not record are reported too, so that the sums are right.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/faults/threads.h"
#include "events/perf/event.h"
#include "events/source.h"

struct sprof_fault_events;

struct sprof_fault_sink {
	void *data;
	/* Faults of a thread; stack 0: unknown. Both ids are the sampler's sink's. Returns false if
	 * out of memory. */
	bool (*faults)(
		void *data, uint32_t thread, uint32_t stack, const struct sprof_fault_count *count);
	/* Faults of a thread that no record covers. */
	bool (*unseen)(void *data, uint32_t thread, const struct sprof_fault_count *count);
};

struct sprof_fault_options {
	bool follow_children;
	/*
	 * record every N-th fault per thread and CPU; 0: all faults while there are few
	 * (pace.h)
	 */
	uint64_t period;
	struct sprof_fault_sink sink;
};

/*
 * Checks that the kernel permits recording faults, and with how much memory. Returns false if
 * refused, or out of memory (OTHER with errno 0).
 */
SPROF_MUST_USE bool sprof_fault_events_create(const struct sprof_fault_options *options,
	struct sprof_fault_events **ret, struct sprof_perf_denial *ret_denial);
/* NULL is accepted. */
void sprof_fault_events_destroy(struct sprof_fault_events *events);

/* The source; valid as long as `events`. */
struct sprof_event_source sprof_fault_events_source(struct sprof_fault_events *events);

/* Totals after the run, over all threads, since each was first seen. */
struct sprof_fault_figures {
	uint64_t all;      /* the kernel's count: minflt and majflt of proc_pid_stat(5) */
	uint64_t recorded; /* covered by records */
	/* not counted by the perf events: the kernel faulted on the program's behalf */
	uint64_t in_kernel;
	uint64_t lost;         /* counted by the perf events, but in no record */
	uint32_t unwatched;    /* threads without events on some CPU */
	bool is_of_users_only; /* faults in kernel code are visible to root only */
};

struct sprof_fault_figures sprof_fault_events_figures(const struct sprof_fault_events *events);
