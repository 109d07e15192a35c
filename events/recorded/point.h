/*
 * The perf events behind the catalogue: which perf event produces which type, whether the kernel
 * permits it, and how its records are read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/event-type.h"
#include "events/perf/event.h"
#include "events/perf/record.h"
#include "events/recorded/tracepoint-values.h"

/* A function whose begin is an event. */
struct sprof_probe {
	const char *path; /* of its file; NULL: a hardware breakpoint for one process */
	uint64_t offset;  /* file offset of its first instruction; with path NULL, its address */
	int64_t number;   /* its events' number; several probes may share one */
	pid_t pid;        /* with path NULL: the process, until it executes another program */
};

struct sprof_recorded_wants {
	uint32_t types;                   /* 1 << enum sprof_trace_type, or-ed */
	uint32_t stacks;                  /* the types that have stacks */
	unsigned rate_hz;                 /* of SPROF_TRACE_PROFILE */
	uint64_t fault_period;            /* every N-th SPROF_TRACE_FAULT per thread; 0: each */
	const struct sprof_probe *probes; /* of SPROF_TRACE_PROBE */
	size_t probe_count;
	size_t ring_size;     /* bytes for each CPU, a power of two; 0: what is permitted */
	const int64_t *calls; /* only these system calls; count 0: all */
	size_t call_count;
};

struct sprof_recorded_point {
	enum sprof_trace_type type; /* for switches: OFF; its records also produce ON */
	struct perf_event_attr attributes;
	struct sprof_tracepoint_type tracepoint; /* zeroed: not a tracepoint */
	const struct sprof_probe *probe;         /* points into the wants */
	bool has_stack;
	bool is_over; /* the program at whose address the probe was is gone */
};

/*
 * Describes the perf event for a type, disabled at first; `probe`: for that probe. Returns false if
 * this machine has none. Finish it in both cases.
 */
SPROF_MUST_USE bool sprof_recorded_point_init(struct sprof_recorded_point *point,
	enum sprof_trace_type type, const struct sprof_recorded_wants *wants,
	const struct sprof_probe *probe, struct sprof_perf_denial *ret_denial);

void sprof_recorded_point_finish(struct sprof_recorded_point *point);

/*
 * Checks with an event on sprof itself, before tracing. If the kernel permits user code only,
 * restricts the point to it. `cpu`: any online CPU.
 */
SPROF_MUST_USE bool sprof_recorded_point_is_permitted(
	struct sprof_recorded_point *point, int cpu, struct sprof_perf_denial *ret_denial);

/* The same for uprobes on any function, and for hardware breakpoints. */
SPROF_MUST_USE bool sprof_recorded_probes_are_permitted(struct sprof_perf_denial *ret_denial);
SPROF_MUST_USE bool sprof_recorded_breakpoints_are_permitted(struct sprof_perf_denial *ret_denial);

/* Whether it is opened for the whole machine, because its records concern other threads than the
 * running one. */
bool sprof_recorded_point_is_of_machine(const struct sprof_recorded_point *point);

/* The type of a record, and its values. Values beyond the record's end are 0, or empty. */
enum sprof_trace_type sprof_recorded_point_type(
	const struct sprof_recorded_point *point, const struct sprof_perf_record *record);
void sprof_recorded_point_read(const struct sprof_recorded_point *point,
	const struct sprof_perf_record *record, struct sprof_tracepoint_values *ret);
