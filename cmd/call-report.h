/*
 * What `sprof syscalls` says: a table for people, or JSON.
 */
#ifndef SPROF_CMD_CALL_REPORT_H
#define SPROF_CMD_CALL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/call-table.h"
#include "events/recorded-events.h"
#include "output/json.h"
#include "output/out.h"
#include "profile/profile.h"

struct sprof_call_report {
	const struct sprof_profile *profile;   /* names and times of the threads */
	const struct sprof_call_table *table;  /* sorted */
	const struct sprof_call_table *stacks; /* sorted, with stacks of `profile`; NULL: none */
	bool short_names;
	bool by_thread;
	enum sprof_source_request source; /* that was used: PTRACE or PERF */
	uint64_t floor_ns; /* PTRACE: the shortest latency that could be seen; 0: not known */
	uint64_t begin_ns, end_ns;
	struct sprof_calls_gaps gaps;
	struct sprof_recorded_gaps losses; /* PERF */
	bool is_last;     /* of the whole run: says what share of the time calls took */
	bool is_selected; /* only some calls were traced, */
	bool is_filtered; /* and only they stopped their thread */
	size_t width;     /* of the terminal; 0: any */
};

/* False: no memory. */
SPROF_MUST_USE bool sprof_call_report_text(
	const struct sprof_call_report *report, struct sprof_out *out);
/* What the kernel's tracepoints did not tell, if anything. */
void sprof_call_report_losses(struct sprof_recorded_gaps losses, struct sprof_out *out);
/* call-stacks.c: where calls come from, the longest first. False: no memory. */
SPROF_MUST_USE bool sprof_call_stacks_text(
	const struct sprof_call_report *report, struct sprof_out *out);
/* An array of all of them. */
void sprof_call_stacks_json(const struct sprof_call_report *report, struct sprof_json *json);
/* One line of JSON. False: no memory. */
SPROF_MUST_USE bool sprof_call_report_json(
	const struct sprof_call_report *report, struct sprof_out *out);

#endif
