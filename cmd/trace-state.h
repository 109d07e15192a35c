/*
 * Private to trace-run.c, trace-source.c and trace-result.c: one run of `sprof trace`.
 */
#ifndef SPROF_CMD_TRACE_STATE_H
#define SPROF_CMD_TRACE_STATE_H

#include "base/clock.h"
#include "cmd/heatmap.h"
#include "cmd/owners.h"
#include "cmd/trace-calls.h"
#include "cmd/trace-engine.h"
#include "cmd/trace-probes.h"
#include "cmd/trace-run.h"
#include "cmd/trace-stacks.h"
#include "events/calls.h"
#include "events/delay-table.h"
#include "events/details.h"
#include "events/recorded-events.h"
#include "output/out.h"

enum { TRACE_CALLS = 64 }; /* more are not worth a filter */

struct trace {
	const struct sprof_trace_options *options;
	struct sprof_watching watching;
	struct sprof_event_list list;
	struct sprof_expression_lookup lookup;
	struct sprof_owners owners;
	char call_name[64]; /* the last one that was looked up */
	struct sprof_trace_engine engine;
	struct sprof_details *details; /* NULL: nothing is shown of single instances */
	struct sprof_delay_table table;
	struct sprof_trace_calls call_figures; /* SPROF_TRACE_SYSCALLS only */
	struct sprof_heatmap heatmap;
	struct sprof_trace_stacks stacks;
	struct sprof_trace_probes probes;
	struct sprof_trace_sink sink, stops;    /* of all events; of those that ptrace tells */
	struct sprof_calls *calls;              /* NULL: no system calls are traced by ptrace */
	struct sprof_recorded_events *recorded; /* NULL: all comes from ptrace */
	uint32_t recorded_types;                /* 1 << enum sprof_trace_type */
	int64_t call_numbers[TRACE_CALLS];      /* all that events can be of */
	size_t call_count;                      /* 0: most, or all */
	uint64_t known_ns;                      /* up to when no event can come any more */
	struct sprof_out *out;                  /* stdout, or a file */
	uint64_t *unpaired[2];                  /* by item: as event1, as event2 */
	uint64_t last_ns, begin_ns, floor_ns;
	uint64_t end_ns;      /* 0: the run goes on */
	uint64_t interval_ns; /* when the interval has begun */
	uint64_t next_ns,
		look_ns;     /* when the interval ends; when to look for what takes too long */
	bool shows_unlikely; /* of the interval: an instance passed --only-than */
	bool out_of_memory;
};

/* Whether only what takes too long is shown. */
static inline bool sprof_trace_is_only(const struct trace *trace)
{
	return trace->options->only_than.is_set;
}

static inline const struct sprof_trace_threshold *sprof_trace_threshold_of(
	const struct sprof_trace_options *options)
{
	return options->only_than.is_set ? &options->only_than : &options->than;
}

static inline const struct sprof_trace_threshold *sprof_trace_than(const struct trace *trace)
{
	return sprof_trace_threshold_of(trace->options);
}

/* While the run goes on, now; then its end. */
static inline uint64_t sprof_trace_now(const struct trace *trace)
{
	return trace->end_ns ? trace->end_ns : sprof_clock_now_ns();
}

/* Whether the kernel's records tell of system calls. */
static inline bool sprof_trace_records_calls(const struct trace *trace)
{
	return trace->recorded && trace->recorded_types & sprof_recorded_calls();
}

/* trace-source.c: creates what records events, if any are to be recorded. */
SPROF_MUST_USE bool sprof_trace_choose_source(struct trace *trace, struct sprof_error *err);

/* Where the events come from: "tracepoints + ptrace". */
struct sprof_trace_words {
	char text[128];
};
struct sprof_trace_words sprof_trace_source_words(const struct trace *trace);

/* trace-result.c: the table of the interval, or of the whole run. */
void sprof_trace_write_table(struct trace *trace, bool whole_run);
/* All that the end of the run has to say. */
SPROF_MUST_USE bool sprof_trace_write_result(struct trace *trace, struct sprof_error *err);

#endif
