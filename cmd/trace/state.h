/*
 * Private to run.c, functions.c, source.c and result.c: one run of `sprof trace`.
 */
#pragma once

#include "base/clock.h"
#include "cmd/cli/progress.h"
#include "cmd/functions/functions.h"
#include "cmd/trace/calls.h"
#include "cmd/trace/engine.h"
#include "cmd/trace/probes.h"
#include "cmd/trace/run.h"
#include "cmd/trace/stacks.h"
#include "events/pairs/delay-table.h"
#include "events/pairs/details.h"
#include "events/recorded/events.h"
#include "events/syscalls/calls.h"
#include "output/out.h"
#include "output/trace/heatmap.h"
#include "profile/model/owners.h"

enum { TRACE_CALLS = 64 }; /* above this number a filter is not worthwhile */

struct trace {
	const struct sprof_trace_options *options;
	struct sprof_event_run watching;
	struct sprof_event_list list;
	struct sprof_expression_lookup lookup;
	struct sprof_owners owners;
	char call_name[64]; /* cache: last name looked up */
	struct sprof_trace_engine engine;
	struct sprof_details *details; /* NULL: single instances are not shown */
	struct sprof_delay_table table;
	struct sprof_trace_calls call_figures; /* SPROF_TRACE_SYSCALLS only */
	struct sprof_heatmap heatmap;
	struct sprof_trace_stacks stacks;
	struct sprof_trace_probes probes;
	struct sprof_functions *functions;      /* NULL: no breakpoints watch functions */
	struct sprof_progress *opening;         /* NULL: no uprobes are being opened */
	struct sprof_trace_sink sink, stops;    /* for all events; for those from ptrace */
	struct sprof_calls *calls;              /* NULL: ptrace traces no system calls */
	struct sprof_recorded_events *recorded; /* NULL: everything comes from ptrace */
	uint32_t recorded_types;                /* 1 << enum sprof_trace_type */
	int64_t call_numbers[TRACE_CALLS];      /* all system calls that events can match */
	size_t call_count;                      /* 0: too many, or all */
	uint64_t known_ns;                      /* no more events will come before this time */
	struct sprof_out *out;                  /* stdout, or a file */
	uint64_t *unpaired[2];                  /* by item: as event1, as event2 */
	uint64_t last_ns, begin_ns, floor_ns;
	uint64_t end_ns;      /* 0: still running */
	uint64_t interval_ns; /* the interval's start */
	uint64_t next_ns,
		look_ns;     /* the interval's end; the time of the next check for overdue events */
	bool by_breakpoints; /* breakpoints watch functions */
	bool out_of_memory;
};

/* Now, or the end of the run once it is over. */
static inline uint64_t sprof_trace_now(const struct trace *trace)
{
	return trace->end_ns ? trace->end_ns : sprof_clock_now_ns();
}

/* Whether system calls come from kernel records. */
static inline bool sprof_trace_records_calls(const struct trace *trace)
{
	return trace->recorded && trace->recorded_types & sprof_recorded_calls();
}

/* In functions.c: chooses how functions are watched. Call it before other threads exist. */
SPROF_MUST_USE bool sprof_trace_choose_functions(struct trace *trace, struct sprof_error *err);
/* Creates what watches them by breakpoints. */
SPROF_MUST_USE bool sprof_trace_watch_functions(struct trace *trace, struct sprof_error *err);

/* In source.c: opens the kernel's records, if events need them. */
SPROF_MUST_USE bool sprof_trace_choose_source(struct trace *trace, struct sprof_error *err);

/* The sources as text: "tracepoints + ptrace". */
struct sprof_trace_words {
	char text[128];
};
struct sprof_trace_words sprof_trace_source_words(const struct trace *trace);

/* In result.c: the table of the interval, or of the whole run. */
void sprof_trace_write_table(struct trace *trace, bool whole_run);
/* Writes everything due at the end of the run. */
SPROF_MUST_USE bool sprof_trace_write_result(struct trace *trace, struct sprof_error *err);
