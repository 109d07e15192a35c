/* `sprof heap --rate`: estimates the allocation rate by stack. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "cmd/record/event-run.h"
#include "cmd/saved/naming.h"
#include "cmd/saved/report-options.h"

/* The user's request. */
struct sprof_heap_rate_request {
	double overhead; /* largest share of the target's time to take */
	const struct sprof_event_run_options *watching;
	const struct sprof_naming *naming;
	const struct sprof_report_options *shown;
	bool is_quiet;
};

/* Runs the command. On success *ret_exit is its exit code. */
SPROF_MUST_USE bool sprof_heap_rate_run(const struct sprof_heap_rate_request *request,
	char *const operands[], int *ret_exit, struct sprof_error *err);
