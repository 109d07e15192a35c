/*
 * Events of the catalogue that the kernel writes down, which stops nobody (perf_event_open(2)):
 * system calls and what the scheduler does, from tracepoints; switches, page faults, the task clock,
 * the calls of functions. Which of them a user may have, the kernel decides.
 */
#ifndef SPROF_EVENTS_RECORDED_EVENTS_H
#define SPROF_EVENTS_RECORDED_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/call-events.h"
#include "events/perf-event.h"
#include "events/recorded-points.h"
#include "events/source.h"

/* The source of system calls and of other events of the kernel that the user asks for. */
enum sprof_source_request {
	SPROF_SOURCE_ANY,
	SPROF_SOURCE_PTRACE,
	SPROF_SOURCE_PERF, /* tracepoints */
};

struct sprof_recorded_events;

struct sprof_recorded_options {
	struct sprof_recorded_wants wants; /* what its pointers lead to stays the caller's */
	bool follow_children;
	bool holds; /* new threads are held (attach/event.h) until this source has seen them */
	/* Both get what there is in the order of time, some ms late: */
	struct sprof_calls_listener listener; /* system calls */
	struct sprof_trace_sink sink;         /* all other events */
	/* The kernel has lost records before this time. Data is the sink's. NULL: not wanted. */
	void (*gap)(void *data, uint64_t end_ns);
};

/*
 * Finds the perf events and asks the kernel whether they may be opened. False: one of them may not, or
 * there is no memory (OTHER with errno 0); *ret_type is whose it is, or SPROF_TRACE_TYPES.
 */
SPROF_MUST_USE bool sprof_recorded_events_create(const struct sprof_recorded_options *options,
	struct sprof_recorded_events **ret, enum sprof_trace_type *ret_type,
	struct sprof_perf_denial *ret_denial);
/* NULL is accepted. */
void sprof_recorded_events_destroy(struct sprof_recorded_events *events);

/*
 * Adds a probe while the run goes on, for all threads that there are and will be, or for those of one
 * process; it outlives `events`.
 * False: it is not permitted, or there is no memory.
 */
SPROF_MUST_USE bool sprof_recorded_events_add_probe(struct sprof_recorded_events *events,
	const struct sprof_probe *probe, const struct sprof_process *process,
	struct sprof_perf_denial *ret_denial);

/* From now on nothing is told of returns; what is in the rings is read first. */
void sprof_recorded_events_end_returns(struct sprof_recorded_events *events);

/* The source; valid as long as `events`. */
struct sprof_event_source sprof_recorded_events_source(struct sprof_recorded_events *events);

/* For the events of other sources of the same run: the options' sink gets them in their place. */
struct sprof_trace_sink sprof_recorded_events_sink(struct sprof_recorded_events *events);

/* Up to when all events have been given. */
uint64_t sprof_recorded_events_known_ns(const struct sprof_recorded_events *events);

struct sprof_recorded_gaps {
	uint64_t lost;         /* records that the kernel had no room for */
	uint32_t unwatched;    /* events of threads that could not be opened */
	uint64_t ended_unseen; /* calls that began before tracing did and were not known */
	bool is_of_users_only; /* page faults, or the clock, of user code only: no more is permitted */
};

struct sprof_recorded_gaps sprof_recorded_events_gaps(const struct sprof_recorded_events *events);

#endif
