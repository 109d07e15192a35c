/*
 * Page faults beside samples: the kernel writes them down with registers and stack, and nobody stops.
 * Each record says how many faults it stands for. The rest of what the kernel has counted of a thread
 * is told at its end, so that all figures add up.
 */
#ifndef SPROF_EVENTS_FAULT_EVENTS_H
#define SPROF_EVENTS_FAULT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/fault-threads.h"
#include "events/perf-event.h"
#include "events/source.h"

struct sprof_fault_events;

struct sprof_fault_sink {
	void *data;
	/* Faults of a thread; stack 0: it is not known. Both ids are the sampler's sink's. False: no
	 * memory. */
	bool (*faults)(
		void *data, uint32_t thread, uint32_t stack, const struct sprof_fault_count *count);
	/* Faults of a thread that were in no record. */
	bool (*unseen)(void *data, uint32_t thread, const struct sprof_fault_count *count);
};

struct sprof_fault_options {
	bool follow_children;
	/* each N-th fault of a thread on a CPU; 0: all as long as they are few (fault-pace.h) */
	uint64_t period;
	struct sprof_fault_sink sink;
};

/*
 * Asks the kernel whether faults may be recorded, and with how much memory. False: refused, or there
 * is no memory (OTHER with errno 0).
 */
SPROF_MUST_USE bool sprof_fault_events_create(const struct sprof_fault_options *options,
	struct sprof_fault_events **ret, struct sprof_perf_denial *ret_denial);
/* NULL is accepted. */
void sprof_fault_events_destroy(struct sprof_fault_events *events);

/* The source; valid as long as `events`. */
struct sprof_event_source sprof_fault_events_source(struct sprof_fault_events *events);

/* After the run: of all threads, from when they were first seen. */
struct sprof_fault_figures {
	uint64_t all;       /* that the kernel has counted: minflt and majflt of proc_pid_stat(5) */
	uint64_t recorded;  /* that records stand for */
	uint64_t in_kernel; /* that were not the events': taken by the kernel for the program */
	uint64_t lost;      /* that were the events', and in no record */
	uint32_t unwatched; /* threads whose events could not be opened on some CPU */
	bool is_of_users_only; /* those of the kernel are told to root only */
};

struct sprof_fault_figures sprof_fault_events_figures(const struct sprof_fault_events *events);

#endif
