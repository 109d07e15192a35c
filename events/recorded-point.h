/*
 * The perf events that give events of the catalogue: which one gives which type, whether the kernel
 * permits it, and how a record of it is read.
 */
#ifndef SPROF_EVENTS_RECORDED_POINT_H
#define SPROF_EVENTS_RECORDED_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/event-type.h"
#include "events/perf-event.h"
#include "events/perf-record.h"
#include "events/tracepoint-values.h"

/* A function whose begin is an event. */
struct sprof_probe {
	const char *path; /* of its file; NULL: a hardware breakpoint, of one process */
	uint64_t offset;  /* of its first instruction, in the file; NULL: its address */
	int64_t number;   /* what its events say; several probes may have one */
};

/* What is to be recorded. */
struct sprof_recorded_wants {
	uint32_t types;                   /* 1 << enum sprof_trace_type, or-ed */
	uint32_t stacks;                  /* those of them that have stacks */
	unsigned rate_hz;                 /* of SPROF_TRACE_PROFILE */
	uint64_t fault_period;            /* every N-th SPROF_TRACE_FAULT of a thread; 0: each */
	const struct sprof_probe *probes; /* of SPROF_TRACE_PROBE */
	size_t probe_count;
	const int64_t *calls; /* only these system calls; count 0: all */
	size_t call_count;
};

struct sprof_recorded_point {
	enum sprof_trace_type type; /* of switches: OFF, and its records are ON as well */
	struct perf_event_attr attributes;
	struct sprof_tracepoint_type tracepoint; /* zeroed: it is none */
	const struct sprof_probe *probe;         /* the wants' */
	bool has_stack;
};

/*
 * Describes the perf event of a type, which is disabled when it is opened; `probe`: of a probe. False: there is none on this machine.
 * Finish it in both cases.
 */
SPROF_MUST_USE bool sprof_recorded_point_init(struct sprof_recorded_point *point,
	enum sprof_trace_type type, const struct sprof_recorded_wants *wants,
	const struct sprof_probe *probe, struct sprof_perf_denial *ret_denial);

void sprof_recorded_point_finish(struct sprof_recorded_point *point);

/*
 * Asks the kernel with an event of our own, before anything is traced. Where it permits users only
 * what happens in their code, the point is restricted to that. `cpu`: any that is online.
 */
SPROF_MUST_USE bool sprof_recorded_point_is_permitted(
	struct sprof_recorded_point *point, int cpu, struct sprof_perf_denial *ret_denial);

/* The same for probes of any function; for hardware breakpoints. */
SPROF_MUST_USE bool sprof_recorded_probes_are_permitted(struct sprof_perf_denial *ret_denial);
SPROF_MUST_USE bool sprof_recorded_breakpoints_are_permitted(struct sprof_perf_denial *ret_denial);

/* Whether it is opened for the machine, because its records are about other threads than the one
 * that runs. */
bool sprof_recorded_point_is_of_machine(const struct sprof_recorded_point *point);

/* The type of a record, and its values. What it is too short for is 0, or empty. */
enum sprof_trace_type sprof_recorded_point_type(
	const struct sprof_recorded_point *point, const struct sprof_perf_record *record);
void sprof_recorded_point_read(const struct sprof_recorded_point *point,
	const struct sprof_perf_record *record, struct sprof_tracepoint_values *ret);

#endif
