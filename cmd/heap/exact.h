/*
 * `sprof heap --exact`: every call of an allocator.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/record/event-run.h"
#include "cmd/saved/naming.h"
#include "cmd/saved/report-options.h"

struct sprof_heap_exact_options {
	bool live, sizes, json;
	uint64_t older_ns; /* with `live`: only blocks at least this old */
};

/* The user's request. */
struct sprof_heap_exact_request {
	struct sprof_heap_exact_options exact;
	const struct sprof_event_run_options *watching;
	const struct sprof_naming *naming;
	const struct sprof_report_options *shown;
};

/* Runs the command. On success *ret_exit is its exit code. */
SPROF_MUST_USE bool sprof_heap_exact_run(const struct sprof_heap_exact_request *request,
	char *const operands[], int *ret_exit, struct sprof_error *err);
