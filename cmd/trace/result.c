/*
 * The results of a run of `sprof trace`: tables and, at the end, losses and stacks. report.c
 * formats rows and lines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/cli/terminal.h"
#include "cmd/trace/books.h"
#include "cmd/trace/report.h"
#include "cmd/trace/state.h"
#include "output/syscalls/report.h"
#include "output/units.h"

static bool write_calls(struct trace *trace, bool whole_run)
{
	struct sprof_call_table *table =
		whole_run ? &trace->call_figures.total : &trace->call_figures.interval;
	const struct sprof_call_report report = {
		.profile = trace->watching.profile,
		.table = table,
		.by_thread = trace->options->by_key,
		.source =
			sprof_trace_records_calls(trace) ? SPROF_SOURCE_PERF : SPROF_SOURCE_PTRACE,
		.floor_ns = trace->floor_ns,
		.begin_ns = whole_run ? trace->begin_ns : trace->interval_ns,
		.end_ns = sprof_trace_now(trace),
		.is_last = whole_run,
		.is_selected = true,
		.is_filtered = trace->watching.subject.filter,
		.width = trace->options->output ? 0 : sprof_terminal_width(),
	};

	sprof_call_table_sort(table);
	return trace->options->json ? sprof_call_report_json(&report, trace->out)
				    : sprof_call_report_text(&report, trace->out);
}

static bool write_pairs(const struct trace *trace, bool whole_run)
{
	const struct sprof_trace_words source = sprof_trace_source_words(trace);
	const struct sprof_trace_report report = {
		.owners = &trace->owners,
		.list = &trace->list,
		.source = source.text,
		.lost = trace->recorded ? sprof_recorded_events_gaps(trace->recorded).lost : 0,
		.table = &trace->table,
		.by_key = trace->options->by_key,
		.has_than = sprof_trace_than(trace)->is_set,
		.whole_run = whole_run,
		.width = trace->options->output ? 0 : sprof_terminal_width(),
	};

	return trace->options->json ? sprof_trace_report_json(&report, trace->out)
				    : sprof_trace_report_text(&report, trace->out);
}

/* Final figures of memory are written later, when stacks have names. */
static bool write_table(struct trace *trace, bool whole_run)
{
	switch (trace->options->analysis) {
	case SPROF_TRACE_SYSCALLS:
		return write_calls(trace, whole_run);
	case SPROF_TRACE_CALL:
		return sprof_trace_write_nested(trace, whole_run);
	case SPROF_TRACE_CALL_DELAY:
		if (!write_pairs(trace, whole_run))
			return false;
		sprof_out_puts(trace->out, trace->options->json || !whole_run ? "" : "\n");
		return !whole_run || sprof_trace_write_nested(trace, true);
	case SPROF_TRACE_KMEMPROF:
		return whole_run || sprof_trace_write_sums(trace);
	case SPROF_TRACE_DELAY:
	case SPROF_TRACE_PAIR:
		break;
	}
	return write_pairs(trace, whole_run);
}

void sprof_trace_write_table(struct trace *trace, bool whole_run)
{
	if (!write_table(trace, whole_run))
		trace->out_of_memory = true;
}

static void write_source(struct trace *trace)
{
	const struct sprof_event_run *watching = &trace->watching;

	sprof_out_printf(trace->out, "source: %s", sprof_trace_source_words(trace).text);
	if (trace->calls)
		sprof_out_puts(trace->out,
			watching->subject.filter ? ", the chosen calls stop their thread"
						 : ", each system call stops its thread");
	if (trace->functions)
		sprof_out_puts(trace->out, ", at which threads stop");
}

static bool has_own_head(enum sprof_trace_analysis analysis)
{
	return analysis == SPROF_TRACE_SYSCALLS || analysis == SPROF_TRACE_CALL ||
		analysis == SPROF_TRACE_KMEMPROF;
}

static void write_head(struct trace *trace)
{
	/* Tables of calls have another head. */
	if (trace->options->json || has_own_head(trace->options->analysis))
		return;
	write_source(trace);
	sprof_out_printf(trace->out, "; over %s; ",
		sprof_figure_time(sprof_trace_now(trace) - trace->begin_ns).text);
	if (trace->calls && trace->floor_ns)
		sprof_out_printf(trace->out, "latency floor %.1f us; ",
			(double)trace->floor_ns / SPROF_NS_PER_US);
	if (trace->recorded && sprof_recorded_events_gaps(trace->recorded).is_of_users_only)
		sprof_out_puts(trace->out, "user code only; ");
	sprof_out_printf(trace->out, "%" PRIu64 " events\n",
		sprof_trace_engine_counts(&trace->engine).events);
}

static void write_lost_records(struct trace *trace)
{
	if (trace->recorded)
		sprof_call_report_losses(sprof_recorded_events_gaps(trace->recorded), trace->out);
}

static void write_unpaired(struct trace *trace)
{
	static const char *const words[] = {"without an event behind it", "without one before it"};

	for (size_t i = 0; trace->options->analysis == SPROF_TRACE_PAIR && i < trace->list.count;
		i++) {
		for (int side = 0; side < 2; side++) {
			if (trace->unpaired[side][i])
				sprof_out_printf(trace->out, "%s: %" PRIu64 " %s\n",
					trace->list.items[i].name, trace->unpaired[side][i],
					words[side]);
			sprof_trace_stacks_write_lonely(
				&trace->stacks, &trace->list.items[i], side, trace->out);
		}
	}
}

static void write_function_losses(struct trace *trace)
{
	const struct sprof_functions_gaps gaps = sprof_functions_gaps(trace->functions);

	if (gaps.not_watched)
		sprof_out_printf(
			trace->out, "%u functions could not be watched\n", gaps.not_watched);
	if (gaps.gone)
		sprof_out_printf(trace->out,
			"%" PRIu64 " times a breakpoint was out of the code for a moment: other "
			"threads may have missed it\n",
			gaps.gone);
}

static void write_losses(struct trace *trace)
{
	const struct sprof_pairs_counts counts = sprof_trace_engine_counts(&trace->engine);

	if (counts.overflows)
		sprof_out_printf(trace->out,
			"%" PRIu64 " events had no room to wait for their end\n", counts.overflows);
	if (trace->calls && sprof_calls_gaps(trace->calls).threads_asleep)
		sprof_out_printf(trace->out,
			"threads that never ran while sprof looked, and that it did not wake: %u; "
			"their calls are missing\n",
			sprof_calls_gaps(trace->calls).threads_asleep);
	if (trace->calls && sprof_calls_gaps(trace->calls).runs_unseen)
		sprof_out_printf(trace->out,
			"threads have run up to %" PRIu64
			" times, and slept again, before sprof traced them: their calls until then "
			"are missing; --source perf misses none\n",
			sprof_calls_gaps(trace->calls).runs_unseen);
	if (trace->functions)
		write_function_losses(trace);
}

/* Writes the stacks referred to in the lines and tables above. */
static void write_stacks(struct trace *trace)
{
	if (!trace->stacks.count)
		return;
	if (!trace->options->json)
		sprof_trace_stacks_write(&trace->stacks, trace->watching.profile, &trace->list,
			trace->options->short_names, trace->out);
	else if (!sprof_trace_json_stacks(&trace->stacks, trace->watching.profile, trace->out))
		trace->out_of_memory = true;
	trace->out_of_memory |= trace->stacks.out_of_memory;
}

static bool name(struct trace *trace, struct sprof_error *err)
{
	return (!trace->stacks.count && !trace->options->beside.sample && !trace->engine.heap) ||
		sprof_event_run_name(&trace->watching, &trace->options->naming, err);
}

bool sprof_trace_write_result(struct trace *trace, struct sprof_error *err)
{
	struct sprof_out *out = trace->out;

	if (!sprof_trace_engine_close(&trace->engine, sprof_trace_now(trace)))
		trace->out_of_memory = true;
	if (trace->details)
		sprof_details_flush(trace->details, UINT64_MAX);
	if (!sprof_delay_table_end_interval(&trace->table) ||
		!sprof_trace_calls_end_interval(&trace->call_figures))
		trace->out_of_memory = true;
	write_head(trace);
	sprof_trace_write_table(trace, true);
	if (!trace->options->json) {
		write_unpaired(trace);
		write_losses(trace);
		write_lost_records(trace);
	} else if (trace->options->analysis == SPROF_TRACE_PAIR &&
		!sprof_trace_json_unpaired(&trace->list, trace->unpaired, trace->out)) {
		trace->out_of_memory = true;
	}
	if (!name(trace, err))
		return false;
	if (trace->engine.heap && !sprof_trace_write_heap(trace))
		trace->out_of_memory = true;
	write_stacks(trace);
	trace->out = NULL;
	if (!sprof_out_close(out, err) || !sprof_heatmap_close(&trace->heatmap, err))
		return false;
	return !trace->out_of_memory || sprof_error_no_memory(err);
}
