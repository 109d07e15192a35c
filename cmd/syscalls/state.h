/* Private to cmd/syscalls/: the options of `sprof syscalls`, and the state of its run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/cli/outputs.h"
#include "cmd/record/event-run.h"
#include "cmd/record/with-samples.h"
#include "cmd/saved/report-options.h"
#include "cmd/syscalls/choice.h"
#include "cmd/syscalls/pace.h"
#include "events/recorded/events.h"
#include "output/syscalls/report.h"
#include "output/trace/heatmap.h"

struct syscalls_options {
	struct sprof_common_options common;
	struct sprof_event_run_options watching;
	struct sprof_naming naming;
	struct sprof_report_options shown;
	struct sprof_call_lists choice; /* none: all */
	uint64_t interval_ns, threshold_ns;
	enum sprof_source_request source;
	bool by_thread, json, stacks;
	const char *heatmap; /* NULL: not given */
	struct sprof_with_samples_options beside;
};

struct syscalls {
	const struct syscalls_options *options;
	struct sprof_report_options shown;
	struct sprof_report_options answer; /* of the samples; without outputs: none */
	struct sprof_outputs tables;        /* these get the table, those of `shown` the profile */
	struct sprof_call_choice choice;
	struct sprof_event_run watching;
	struct sprof_calls *calls;               /* by ptrace, or */
	struct sprof_recorded_events *recorded;  /* without stops, by tracepoints */
	struct sprof_call_table interval, total; /* of threads, and of stacks */
	uint64_t floor_ns, begin_ns, end_ns, interval_begin_ns, next_ns;
	struct sprof_pace so_far;
	struct sprof_heatmap heatmap;
	uint64_t counted;
	bool prints;     /* stdout gets the tables */
	bool is_cut_off; /* stdout accepts no more; an error message was printed */
};

/*
 * In tables.c: writes the figures of all threads together, or of each, to a file or, if `path` is
 * NULL, to stdout.
 */
SPROF_MUST_USE bool sprof_syscalls_report(const struct syscalls *syscalls,
	const struct sprof_call_table *threads, struct sprof_call_report *what, const char *path,
	struct sprof_error *err);
/* The table of the whole run, to each text file and, if wanted, to stdout. */
SPROF_MUST_USE bool sprof_syscalls_report_total(
	const struct syscalls *syscalls, struct sprof_error *err);
