/*
 * The results of a run of `sprof trace`: tables and, at the end, losses and stacks. report.c
 * formats rows and lines; figures of calls and heaps go to the reports of `sprof calls` and `sprof
 * heap`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/clock.h"
#include "base/syscall-name.h"
#include "cmd/cli/terminal.h"
#include "cmd/trace/report.h"
#include "cmd/trace/state.h"
#include "output/calls/report.h"
#include "output/clean.h"
#include "output/heap/report.h"
#include "output/syscalls/report.h"
#include "output/units.h"

enum { NAME_SIZE = 64, TOP = 10 };

/*
 * The name without the part that marks a start: "parse" of "uprobe:parse", "read" of
 * "sys_enter_read".
 */
static const char *shorten(const struct sprof_event_item *begin)
{
	const struct sprof_trace_type_row *row = begin->row;
	char prefix[NAME_SIZE];
	size_t length;

	if (!row->per_name)
		return begin->name;
	snprintf(prefix, sizeof(prefix), "%s%s", row->name[0] ? row->name : row->group,
		row->name[0] ? "" : ":");
	length = strlen(prefix);
	return strncmp(begin->name, prefix, length) ? begin->name : begin->name + length;
}

/*
 * The name of a function: that of its start event, or of the system call. Returns NULL if out of
 * memory.
 */
static char *name_of(const struct sprof_nested_function *function)
{
	char name[NAME_SIZE];

	if (function->call < 0)
		return sprof_clean_text(shorten(function->begin), NULL);
	sprof_syscall_name(function->call, name, sizeof(name));
	return strdup(name);
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; names && i < count; i++)
		free(names[i]);
	free(names);
}

/* Returns NULL if out of memory. */
static char **name_functions(const struct sprof_nested *nested)
{
	const size_t count = sprof_nested_function_count(nested);
	char **names = calloc(count + 1, sizeof(*names));

	for (size_t i = 0; names && i < count; i++) {
		const struct sprof_nested_function function = sprof_nested_function(nested, i);

		names[i] = name_of(&function);
		if (!names[i]) {
			free_names(names, count);
			return NULL;
		}
	}
	return names;
}

/* The table; at the end of a run with latencies the tree of calls, too. */
static bool write_nested_calls(
	struct trace *trace, const struct sprof_calls_report *report, bool whole_run)
{
	if (trace->options->json)
		return sprof_calls_json(report, trace->out);
	if (!sprof_calls_table(report, trace->out))
		return false;
	if (!whole_run || trace->options->analysis != SPROF_TRACE_CALL_DELAY)
		return true;
	sprof_out_puts(trace->out, "\n");
	return sprof_calls_tree(report, trace->out);
}

/*
 * --impl call and call-delay: functions and callers, and the tree of calls. Returns false if out of
 * memory.
 */
static bool trace_write_nested(struct trace *trace, bool whole_run)
{
	const struct sprof_nested *nested = trace->engine.nested;
	const struct sprof_trace_words source = sprof_trace_source_words(trace);
	char **names = name_functions(nested);
	struct sprof_calls_report report = {
		.profile = trace->watching.profile,
		.books = sprof_nested_books(nested),
		.names = names,
		.name_count = sprof_nested_function_count(nested),
		.source = source.text,
		.begin_ns = trace->begin_ns,
		.end_ns = sprof_trace_now(trace),
		.lost = trace->recorded ? sprof_recorded_events_gaps(trace->recorded).lost : 0,
		.sort = SPROF_CALLS_TOTAL,
		.by_thread = trace->options->by_key,
		.key_name = trace->list.key_name,
		.width = trace->options->output ? 0 : sprof_terminal_width(),
	};
	bool done;

	if (trace->list.items[0].key && sprof_expression_is_tid(trace->list.items[0].key))
		report.key_owners = &trace->owners;
	report.keys = sprof_nested_keys(nested, &report.key_count);
	done = names && write_nested_calls(trace, &report, whole_run);
	free_names(names, report.name_count);
	return done;
}

/* --impl kmemprof: the sums so far; at the end everything. Returns false if out of memory. */
static bool trace_write_sums(struct trace *trace)
{
	const struct sprof_heap_sum *totals = sprof_heap_events_books(trace->engine.heap)->totals;
	const struct sprof_heap_sum unfreed = sprof_heap_unfreed(totals);
	const struct sprof_heap_sum allocated = totals[SPROF_HEAP_ALLOCATED];
	const struct sprof_heap_sum freed = totals[SPROF_HEAP_FREED];

	if (trace->options->json)
		sprof_out_printf(trace->out, "{\"last\":false,\"time_ns\":%" PRIu64 ",",
			sprof_clock_real_ns());
	sprof_out_printf(trace->out,
		trace->options->json
			? "\"allocated\":{\"bytes\":%" PRIu64 ",\"objects\":%" PRIu64
			  "},\"freed\":{\"bytes\":%" PRIu64 ",\"objects\":%" PRIu64
			  "},\"not_freed\":{\"bytes\":%" PRIu64 ",\"objects\":%" PRIu64 "}}\n"
			: "so far: allocated %" PRIu64 " bytes in %" PRIu64
			  " objects, freed %" PRIu64 " in %" PRIu64 ", not freed %" PRIu64
			  " in %" PRIu64 "\n",
		allocated.bytes, allocated.objects, freed.bytes, freed.objects, unfreed.bytes,
		unfreed.objects);
	return true;
}

static bool trace_write_heap(struct trace *trace)
{
	const struct sprof_trace_words source = sprof_trace_source_words(trace);
	const uint64_t now_ns = sprof_trace_now(trace);
	struct sprof_heap_rows rows;
	const struct sprof_heap_report report = {
		.profile = trace->watching.profile,
		.books = sprof_heap_events_books(trace->engine.heap),
		.counts = sprof_heap_events_counts(trace->engine.heap),
		.rows = &rows,
		.kind = SPROF_HEAP_ALLOC_SPACE,
		.source = source.text,
		.places = "events",
		.functions = trace->list.count,
		.begin_ns = trace->begin_ns,
		.end_ns = now_ns,
		.lost = trace->recorded ? sprof_recorded_events_gaps(trace->recorded).lost : 0,
		.top = TOP,
		.width = trace->options->output ? 0 : sprof_terminal_width(),
		.short_names = trace->options->naming.short_names,
	};
	const bool done = sprof_heap_rows_create(report.books, report.profile, now_ns, 0, &rows) &&
		(trace->options->json ? sprof_heap_report_json(&report, trace->out)
				      : sprof_heap_report_text(&report, trace->out));

	sprof_heap_rows_finish(&rows);
	return done;
}

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
		.has_than = trace->options->than.is_set,
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
		return trace_write_nested(trace, whole_run);
	case SPROF_TRACE_CALL_DELAY:
		if (!write_pairs(trace, whole_run))
			return false;
		sprof_out_puts(trace->out, trace->options->json || !whole_run ? "" : "\n");
		return !whole_run || trace_write_nested(trace, true);
	case SPROF_TRACE_KMEMPROF:
		return whole_run || trace_write_sums(trace);
	case SPROF_TRACE_DELAY:
	case SPROF_TRACE_PAIR:
		break;
	}
	return write_pairs(trace, whole_run);
}

void sprof_trace_write_table(struct trace *trace, bool whole_run)
{
	/* The table of system calls has the moment in its head. */
	if (!whole_run && !trace->options->json && trace->options->analysis != SPROF_TRACE_SYSCALLS)
		sprof_out_printf(
			trace->out, "%s\n", sprof_figure_moment(sprof_clock_real_ns()).text);
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

static void write_unpaired(struct trace *trace)
{
	static const char *const words[] = {"without an event after it", "without one before it"};

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
			"threads that never ran while sprof watched, and that it did not wake: %u; "
			"their calls are missing\n",
			sprof_calls_gaps(trace->calls).threads_asleep);
	if (trace->calls && sprof_calls_gaps(trace->calls).runs_unseen)
		sprof_out_printf(trace->out,
			"threads have run up to %" PRIu64
			" times, and slept again, before sprof traced them: their calls until then "
			"are missing; --source kernel misses none\n",
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
			trace->options->naming.short_names, trace->out);
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
		if (trace->recorded)
			sprof_call_report_losses(
				sprof_recorded_events_gaps(trace->recorded), trace->out);
	} else if (trace->options->analysis == SPROF_TRACE_PAIR &&
		!sprof_trace_json_unpaired(&trace->list, trace->unpaired, trace->out)) {
		trace->out_of_memory = true;
	}
	if (!name(trace, err))
		return false;
	if (trace->engine.heap && !trace_write_heap(trace))
		trace->out_of_memory = true;
	write_stacks(trace);
	trace->out = NULL;
	if (!sprof_out_close(out, err) || !sprof_heatmap_close(&trace->heatmap, err))
		return false;
	return !trace->out_of_memory || sprof_error_no_memory(err);
}
