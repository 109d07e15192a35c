/*
 * Events of the catalogue that the kernel records without stopping threads (perf_event_open(2)):
 * system calls and scheduling from tracepoints; context switches, page faults, the task clock,
 * function calls. The kernel decides which of them a user may record.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/perf/event.h"
#include "events/recorded/points.h"
#include "events/source.h"
#include "events/syscalls/events.h"

/* The source of system calls and of other events of the kernel that the user asks for. */
enum sprof_source_request {
	SPROF_SOURCE_ANY,
	SPROF_SOURCE_PTRACE,
	SPROF_SOURCE_PERF, /* tracepoints */
};

struct sprof_recorded_events;

struct sprof_recorded_options {
	struct sprof_recorded_wants wants; /* the pointers inside must stay valid */
	bool follow_children;
	bool holds; /* new threads are held (attach/event.h) until this source has handled them */
	/* Both receive events in order of time, some ms late: */
	struct sprof_calls_listener listener; /* system calls */
	struct sprof_trace_sink sink;         /* all other events */
	/*
	 * The kernel has lost records between these times. Other CPUs' events of that time have
	 * been passed on. `data` is the sink's. NULL: not wanted.
	 */
	void (*gap)(void *data, uint64_t since_ns, uint64_t end_ns);
};

/*
 * Finds the perf events and checks that the kernel permits them. On false, *ret_type is the type
 * that was refused, or SPROF_TRACE_TYPES; out of memory is OTHER with errno 0.
 */
SPROF_MUST_USE bool sprof_recorded_events_create(const struct sprof_recorded_options *options,
	struct sprof_recorded_events **ret, enum sprof_trace_type *ret_type,
	struct sprof_perf_denial *ret_denial);
/* NULL is accepted. */
void sprof_recorded_events_destroy(struct sprof_recorded_events *events);

/*
 * Adds a hardware breakpoint during the run, for the threads of a process and those that they
 * start. The probe must outlive `events`. Returns false if there are none here, or out of memory.
 */
SPROF_MUST_USE bool sprof_recorded_events_add_probe(struct sprof_recorded_events *events,
	const struct sprof_probe *probe, const struct sprof_process *process,
	struct sprof_perf_denial *ret_denial);

/* The source; valid as long as `events`. */
struct sprof_event_source sprof_recorded_events_source(struct sprof_recorded_events *events);

/* A sink for events of other sources: merges them by time and passes them to the options' sink. */
struct sprof_trace_sink sprof_recorded_events_sink(struct sprof_recorded_events *events);

/* All events up to this time have been passed on. */
uint64_t sprof_recorded_events_known_ns(const struct sprof_recorded_events *events);

struct sprof_recorded_gaps {
	uint64_t lost;      /* records lost because a ring was full */
	uint32_t unwatched; /* thread events that could not be opened */
	uint32_t refused;   /* thread uprobes that can't be at their instruction */
	uint32_t late;      /* threads and programs that had begun when their uprobes were opened */
	uint64_t ended_unseen; /* calls that began before tracing and were unknown */
	/* page faults or task clock of user code only: the kernel permits no more */
	bool is_of_users_only;
};

struct sprof_recorded_gaps sprof_recorded_events_gaps(const struct sprof_recorded_events *events);
