/* The options of `sprof calls`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/command.h"
#include "cmd/record/event-run.h"
#include "output/calls/report.h"

enum { SPROF_CALLS_LISTS = 64 };

struct sprof_function_calls_lists {
	const char *items[SPROF_CALLS_LISTS];
	size_t count;
};

struct sprof_function_calls_options {
	struct sprof_common_options common;
	struct sprof_event_run_options watching;
	struct sprof_function_calls_lists functions;
	const char *path, *timeline, *output;
	enum sprof_calls_column sort;
	size_t top, limit;
	bool by_thread, tree, json, dot, count, short_names;
	bool breakpoints; /* has no effect: calls always uses them */
	double overhead;
};

extern const struct sprof_function_calls_options sprof_function_calls_options_defaults;
extern const struct sprof_option_group sprof_function_calls_option_groups[];

/* What the suffix of the output says. Returns false if options contradict each other. */
SPROF_MUST_USE bool sprof_function_calls_options_settle(
	struct sprof_function_calls_options *options, struct sprof_error *err);
