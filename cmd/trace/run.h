/*
 * One run of `sprof trace`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/cli/command.h"
#include "cmd/cli/option-values.h"
#include "cmd/record/event-run.h"
#include "cmd/record/with-samples.h"
#include "cmd/saved/naming.h"
#include "events/language/event-list.h"
#include "events/language/latency.h"

/* The texts of all -e. */
struct sprof_trace_lists {
	const char *items[SPROF_EVENT_POSITIONS];
	size_t count;
};

struct sprof_trace_threshold {
	bool is_set;
	uint64_t ns;
};

enum sprof_trace_analysis {
	SPROF_TRACE_DELAY,      /* latencies per pair of events */
	SPROF_TRACE_PAIR,       /* the same, with unpaired events */
	SPROF_TRACE_SYSCALLS,   /* begin and end of system calls, as calls */
	SPROF_TRACE_CALL,       /* begin and end of functions, as nested calls */
	SPROF_TRACE_CALL_DELAY, /* the same, with latencies */
	SPROF_TRACE_KMEMPROF,   /* allocation and free events: memory by stack */
};

struct sprof_trace_options {
	struct sprof_common_options common;
	struct sprof_event_run_options watching;
	struct sprof_trace_lists lists;
	const char *key, *heatmap, *output; /* NULL: not given */
	struct sprof_detail detail;
	struct sprof_naming naming;
	enum sprof_source_request request;
	enum sprof_trace_analysis analysis;
	bool cycle, by_key, json;
	struct sprof_trace_threshold than, lower;
	struct sprof_with_samples_options beside;
	uint64_t interval_ns; /* 0: one table at the end */
	size_t limit;         /* of calls in the tree */
	size_t ring_size;     /* of the kernel's records, for each CPU; 0: not given */
};

/* Parses the events before tracing begins. Sets *ret_exit as sprof_event_run_run() does. */
SPROF_MUST_USE bool sprof_trace_run(const struct sprof_trace_options *options,
	char *const operands[], int *ret_exit, struct sprof_error *err);
