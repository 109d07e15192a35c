/* The report of `sprof syscalls`: a table, or JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/recorded/events.h"
#include "events/syscalls/table.h"
#include "output/json.h"
#include "output/out.h"
#include "profile/model/profile.h"

struct sprof_call_report {
	const struct sprof_profile *profile;   /* for names and times of threads */
	const struct sprof_call_table *table;  /* sorted */
	const struct sprof_call_table *stacks; /* sorted, with stacks of `profile`; NULL: none */
	bool short_names;
	bool by_thread;
	enum sprof_source_request source; /* the source used: PTRACE or PERF */
	uint64_t floor_ns;                /* PTRACE: the shortest measurable latency; 0: unknown */
	uint64_t begin_ns, end_ns;
	struct sprof_calls_gaps gaps;
	struct sprof_recorded_gaps losses; /* PERF */
	bool is_last;     /* covers the whole run: add the calls' share of the time */
	bool is_selected; /* only some calls were traced */
	bool is_filtered; /* a seccomp filter selected them */
	size_t width;     /* of the terminal; 0: no limit */
};

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_call_report_text(
	const struct sprof_call_report *report, struct sprof_out *out);
/* Writes what the tracepoints missed, if anything. */
void sprof_call_report_losses(struct sprof_recorded_gaps losses, struct sprof_out *out);
/* In stacks.c: the stacks of calls, longest first. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_call_stacks_text(
	const struct sprof_call_report *report, struct sprof_out *out);
/* The same as a JSON array. */
void sprof_call_stacks_json(const struct sprof_call_report *report, struct sprof_json *json);
/* One line of JSON. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_call_report_json(
	const struct sprof_call_report *report, struct sprof_out *out);
