/* The output of `sprof trace`: tables of latencies, and the events of single instances. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/trace/stacks.h"
#include "events/pairs/delay-table.h"
#include "events/pairs/details.h"
#include "output/out.h"
#include "profile/model/owners.h"
#include "profile/model/profile.h"

struct sprof_trace_report {
	const struct sprof_owners *owners;
	const struct sprof_event_list *list;
	const struct sprof_delay_table *table;
	const char *source;               /* "ptrace", "tracepoints" */
	bool by_key, has_than, whole_run; /* whole_run: for the run, not the interval */
	size_t width;                     /* of the terminal; 0: no limit */
	uint64_t lost;                    /* records lost because a ring was full */
};

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_trace_report_text(
	const struct sprof_trace_report *report, struct sprof_out *out);
SPROF_MUST_USE bool sprof_trace_report_json(
	const struct sprof_trace_report *report, struct sprof_out *out);

/* Writes one line of an instance; assigns numbers to stacks. */
void sprof_trace_report_line(const struct sprof_owners *owners, struct sprof_trace_stacks *stacks,
	const struct sprof_trace_instance *instance, const struct sprof_details_line *line,
	struct sprof_out *out);

/* In json.c: the same as a line of JSON. Return false if out of memory, as the next two. */
SPROF_MUST_USE bool sprof_trace_json_line(const struct sprof_owners *owners,
	struct sprof_trace_stacks *stacks, const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line, struct sprof_out *out);
/* For the following lines: the instance is still open after open_ns; the stack's number, or 0. */
void sprof_trace_json_open(uint64_t open_ns, unsigned stack, struct sprof_out *out);
/* By item: numbers of events without partner, as event1 and as event2. */
SPROF_MUST_USE bool sprof_trace_json_unpaired(
	const struct sprof_event_list *list, uint64_t *const counts[2], struct sprof_out *out);
/* All stacks with a number; locations must be named. */
SPROF_MUST_USE bool sprof_trace_json_stacks(const struct sprof_trace_stacks *stacks,
	const struct sprof_profile *profile, struct sprof_out *out);
