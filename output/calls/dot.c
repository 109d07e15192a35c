/*
 * Functions and their callers as a graph, with the number of calls at each edge
 * (https://graphviz.org/doc/info/lang.html). Programs read the figures in
 * the attributes sprof_calls, sprof_total_ns and sprof_self_ns.
 */
#include <inttypes.h>

#include "output/calls/report.h"
#include "output/dot-text.h"
#include "output/units.h"

/* Each thread with rows of its own has nodes of its own, too. */
static void write_id(
	const struct sprof_activation_row *row, uint32_t function, struct sprof_out *out)
{
	sprof_out_printf(
		out, "t%uf%u", row->thread == SPROF_ACTIVATION_ANY ? 0 : row->thread, function);
}

static void write_node(const struct sprof_calls_report *report,
	const struct sprof_activation_row *row, struct sprof_out *out)
{
	const struct sprof_profile_thread *thread =
		report->by_thread ? sprof_calls_thread(report, row->thread) : NULL;
	const uint64_t calls = sprof_activation_row_calls(row);

	sprof_out_puts(out, "  ");
	write_id(row, row->function, out);
	sprof_out_puts(out, " [label=\"");
	sprof_dot_text(out, sprof_calls_name(report, row->function));
	if (thread) {
		sprof_out_printf(out, "\\nthread %d ", (int)thread->tid);
		sprof_dot_text(out, thread->name);
	}
	sprof_out_printf(out, "\\n%" PRIu64 " calls", calls);
	/* --count measures no times. */
	if (!report->has_four) {
		sprof_out_printf(out, "\\ntotal %s", sprof_figure_time(row->total_ns).text);
		sprof_out_printf(out, "\\nself %s", sprof_figure_time(row->self_ns).text);
	}
	sprof_out_printf(out, "\", sprof_calls=\"%" PRIu64 "\"", calls);
	if (!report->has_four)
		sprof_out_printf(out,
			", sprof_total_ns=\"%" PRIu64 "\", sprof_self_ns=\"%" PRIu64 "\"",
			row->total_ns, row->self_ns);
	sprof_out_puts(out, "];\n");
}

/* A caller that is not watched, or left out by --top, has no node. */
static bool has_caller(const struct sprof_calls_rows *rows, const struct sprof_activation_row *row)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct sprof_activation_row *node = rows->items[i];

		if (node->caller == SPROF_ACTIVATION_ANY && node->function == row->caller &&
			node->thread == row->thread)
			return true;
	}
	return false;
}

static void write_edge(const struct sprof_activation_row *row, struct sprof_out *out)
{
	const uint64_t calls = sprof_activation_row_calls(row);

	sprof_out_puts(out, "  ");
	write_id(row, row->caller, out);
	sprof_out_puts(out, " -> ");
	write_id(row, row->function, out);
	sprof_out_printf(
		out, " [label=\"%" PRIu64 "\", sprof_calls=\"%" PRIu64 "\"];\n", calls, calls);
}

bool sprof_calls_dot(const struct sprof_calls_report *report, struct sprof_out *out)
{
	struct sprof_calls_rows rows;
	const bool done = sprof_calls_rows_init(report, &rows);

	sprof_out_puts(out,
		"digraph calls {\n"
		"  node [shape=box, fontname=\"sans-serif\"];\n"
		"  edge [fontname=\"sans-serif\"];\n");
	if (report->windows)
		sprof_out_puts(out, "  label=\"estimates: only windows were watched\";\n");
	for (size_t i = 0; done && i < rows.count; i++) {
		if (rows.items[i]->caller == SPROF_ACTIVATION_ANY)
			write_node(report, rows.items[i], out);
		else if (has_caller(&rows, rows.items[i]))
			write_edge(rows.items[i], out);
	}
	sprof_out_puts(out, "}\n");
	sprof_calls_rows_finish(&rows);
	return done;
}
