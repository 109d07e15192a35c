/*
 * What `sprof trace` prints: tables of latencies, and the events of single instances.
 */
#ifndef SPROF_CMD_TRACE_REPORT_H
#define SPROF_CMD_TRACE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/owners.h"
#include "cmd/trace-stacks.h"
#include "events/delay-table.h"
#include "events/details.h"
#include "output/out.h"
#include "profile/profile.h"

struct sprof_trace_report {
	const struct sprof_owners *owners;
	const struct sprof_event_list *list;
	const struct sprof_delay_table *table;
	const char *source;               /* "ptrace", "tracepoints" */
	bool by_key, has_than, whole_run; /* of the run, not of the interval */
	size_t width;                     /* of the terminal; 0: any */
	uint64_t lost;                    /* records that the kernel had no room for */
};

/* False: no memory. */
SPROF_MUST_USE bool sprof_trace_report_text(
	const struct sprof_trace_report *report, struct sprof_out *out);
SPROF_MUST_USE bool sprof_trace_report_json(
	const struct sprof_trace_report *report, struct sprof_out *out);

/* One line of an instance; stacks of events get numbers. */
void sprof_trace_report_line(const struct sprof_owners *owners, struct sprof_trace_stacks *stacks,
	const struct sprof_trace_instance *instance, const struct sprof_details_line *line,
	struct sprof_out *out);

/* trace-json.c: the same as a line of JSON. False: no memory, as of the next two. */
SPROF_MUST_USE bool sprof_trace_json_line(const struct sprof_owners *owners,
	struct sprof_trace_stacks *stacks, const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line, struct sprof_out *out);
/* The instance of the lines to come is still open after so long; the stack's number, or 0. */
void sprof_trace_json_open(uint64_t open_ns, unsigned stack, struct sprof_out *out);
/* By item: how many have no partner as event1 and as event2. */
SPROF_MUST_USE bool sprof_trace_json_unpaired(
	const struct sprof_event_list *list, uint64_t *const counts[2], struct sprof_out *out);
/* All stacks that have a number; the profile's locations are named. */
SPROF_MUST_USE bool sprof_trace_json_stacks(const struct sprof_trace_stacks *stacks,
	const struct sprof_profile *profile, struct sprof_out *out);

#endif
