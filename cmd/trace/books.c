/*
 * Passes the books of nested calls and of memory to the reports of `sprof calls` and `sprof heap`.
 * events/functions/nested-calls.c and events/heap/events.c keep the books.
 */
#include "cmd/trace/books.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall-name.h"
#include "cmd/cli/terminal.h"
#include "output/calls/report.h"
#include "output/clean.h"
#include "output/heap/report.h"
#include "output/json.h"
#include "output/units.h"

enum { NAME_SIZE = 64, TOP = 10 };

/* Without what says that it is a begin: "parse" of "uprobe:parse", "read" of "sys_enter_read". */
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
 * A function is called as its begin is, or as the system call that it is. Returns NULL if out of
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
static bool write_calls(
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

bool sprof_trace_write_nested(struct trace *trace, bool whole_run)
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
	done = names && write_calls(trace, &report, whole_run);
	free_names(names, report.name_count);
	return done;
}

static const struct sprof_heap_sum *totals_of(const struct trace *trace)
{
	return sprof_heap_events_books(trace->engine.heap)->totals;
}

bool sprof_trace_write_sums(struct trace *trace)
{
	const struct sprof_heap_sum *totals = totals_of(trace);
	const struct sprof_heap_sum unfreed = sprof_heap_unfreed(totals);
	const struct sprof_heap_sum allocated = totals[SPROF_HEAP_ALLOCATED];
	const struct sprof_heap_sum freed = totals[SPROF_HEAP_FREED];

	sprof_out_printf(trace->out,
		trace->options->json ? "{\"last\":false,\"allocated\":{\"bytes\":%" PRIu64
				       ",\"objects\":%" PRIu64 "},\"freed\":{\"bytes\":%" PRIu64
				       ",\"objects\":%" PRIu64 "},\"not_freed\":{\"bytes\":%" PRIu64
				       ",\"objects\":%" PRIu64 "}}\n"
				     : "so far: allocated %" PRIu64 " bytes in %" PRIu64
				       " objects, freed %" PRIu64 " in %" PRIu64
				       ", not freed %" PRIu64 " in %" PRIu64 "\n",
		allocated.bytes, allocated.objects, freed.bytes, freed.objects, unfreed.bytes,
		unfreed.objects);
	return true;
}

bool sprof_trace_write_heap(struct trace *trace)
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
		.short_names = trace->options->short_names,
	};
	const bool done = sprof_heap_rows_create(report.books, report.profile, now_ns, 0, &rows) &&
		(trace->options->json ? sprof_heap_report_json(&report, trace->out)
				      : sprof_heap_report_text(&report, trace->out));

	sprof_heap_rows_finish(&rows);
	return done;
}
