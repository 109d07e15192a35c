/*
 * The call graph in Graphviz's language: the heaviest functions, and the weight that each gets from
 * each caller.
 * https://graphviz.org/doc/info/lang.html
 *
 * Layout time grows fast with the graph, so only some functions are kept, with at most the three
 * heaviest calls of each. The attributes sprof_self and sprof_total have the figures for programs.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/interned.h"
#include "output/dot-text.h"
#include "output/format.h"
#include "output/units.h"
#include "profile/model/expand.h"
#include "profile/views/view.h"

enum {
	EDGES_PER_NODE = 3,
};

struct edge {
	uint32_t caller, callee;
	uint64_t weight;
	uint32_t last_row; /* last row that had it, plus one */
};

struct dot {
	const struct sprof_profile *profile;
	struct sprof_view view;
	struct sprof_out *out;
	const struct sprof_output_options *options;
	unsigned cluster; /* makes names of nodes unique across threads */
	struct sprof_flat flat;
	uint32_t *shown;          /* by function: place in the flat table plus one; 0: pruned */
	struct sprof_idmap index; /* (caller, callee) -> edge */
	struct edge *edges;
	size_t edge_count, edge_capacity;
	struct sprof_expansion expansion;
};

static void finish(struct dot *dot)
{
	sprof_flat_finish(&dot->flat);
	free(dot->shown);
	sprof_idmap_finish(&dot->index);
	free(dot->edges);
	sprof_expansion_finish(&dot->expansion);
}

static bool choose(struct dot *dot, struct sprof_error *err)
{
	dot->view.by_total = true;
	if (!sprof_flat_build(dot->profile, &dot->view, &dot->flat, err))
		return false;
	dot->shown = calloc(dot->profile->function_count + 1, sizeof(*dot->shown));
	if (!dot->shown)
		return sprof_error_no_memory(err);
	if (dot->flat.count > dot->options->nodes)
		dot->flat.count = dot->options->nodes;
	for (size_t i = 0; i < dot->flat.count; i++)
		dot->shown[dot->flat.rows[i].function] = (uint32_t)i + 1;
	return true;
}

/* Counts a call once per row, even if it recurs on the stack. */
static bool add_edge(struct dot *dot, uint32_t caller, uint32_t callee, size_t row, uint64_t weight)
{
	const struct sprof_interned edges =
		SPROF_INTERNED(&dot->index, dot->edges, dot->edge_count, dot->edge_capacity);
	const struct edge edge = {.caller = caller, .callee = callee};
	uint32_t id;

	if (!sprof_intern(&edges, sprof_key(caller, callee), &edge, &id))
		return false;
	if (dot->edges[id].last_row == row + 1)
		return true;
	dot->edges[id].last_row = (uint32_t)row + 1;
	dot->edges[id].weight += weight;
	return true;
}

/* Skips functions that are not shown: the call goes to the next shown one. */
static bool add_row(struct dot *dot, size_t index)
{
	const struct sprof_profile_row *row = &dot->profile->rows[index];
	uint64_t weight = sprof_metrics_get(&row->metrics, dot->view.weight);
	uint32_t callee = SPROF_PROFILE_NONE;

	if (!weight || !sprof_view_takes(&dot->view, dot->profile, index))
		return true;
	if (!sprof_expansion_fill(&dot->expansion, dot->profile, row->stack))
		return false;
	for (size_t i = 0; i < dot->expansion.count; i++) {
		uint32_t function = dot->expansion.frames[i]->function;

		if (!dot->shown[function])
			continue;
		if (callee != SPROF_PROFILE_NONE && !add_edge(dot, function, callee, index, weight))
			return false;
		callee = function;
	}
	return true;
}

static const char *colour_of(double percent)
{
	static const struct {
		double above;
		const char *colour;
	} steps[] = {{20, "#f4a19a"}, {10, "#f8c98b"}, {5, "#f6eb9a"}, {1, "#b9e3b0"}};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (percent > steps[i].above)
			return steps[i].colour;
	}
	return "#b5d0ee";
}

static void write_node(struct dot *dot, const struct sprof_flat_row *row)
{
	enum sprof_weight weight = dot->view.weight;
	uint64_t whole = sprof_metrics_get(&dot->flat.sum, weight);
	uint64_t self = sprof_metrics_get(&row->self, weight);
	uint64_t total = sprof_metrics_get(&row->total, weight);
	uint64_t coloured = dot->options->colour_by_self ? self : total;

	sprof_out_printf(dot->out, "  c%uf%u [label=\"", dot->cluster, row->function);
	sprof_dot_text(dot->out, dot->profile->functions[row->function].name);
	sprof_out_printf(dot->out, "\\nself %s (%.1f%%)",
		sprof_figure_value(dot->profile, weight, self).text, sprof_percent(self, whole));
	sprof_out_printf(dot->out, "\\ntotal %s (%.1f%%)\", fillcolor=\"%s\"",
		sprof_figure_value(dot->profile, weight, total).text, sprof_percent(total, whole),
		colour_of(sprof_percent(coloured, whole)));
	sprof_out_puts(dot->out, ", sprof_name=\"");
	sprof_dot_text(dot->out, dot->profile->functions[row->function].name);
	sprof_out_printf(dot->out, "\", sprof_self=\"%llu\", sprof_total=\"%llu\"];\n",
		(unsigned long long)self, (unsigned long long)total);
}

static void write_edge(struct dot *dot, const struct edge *edge)
{
	uint64_t whole = sprof_metrics_get(&dot->flat.sum, dot->view.weight);
	double percent = sprof_percent(edge->weight, whole);

	sprof_out_printf(dot->out,
		"  c%uf%u -> c%uf%u [label=\"%.1f%%\", penwidth=%.1f, sprof_weight=\"%llu\"];\n",
		dot->cluster, edge->caller, dot->cluster, edge->callee, percent, 0.5 + percent / 20,
		(unsigned long long)edge->weight);
}

/* The heaviest first. */
static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

/* Writes the graph of one thread, or of all threads together. */
static bool write_view(struct dot *dot, struct sprof_error *err)
{
	bool ok = choose(dot, err);

	for (size_t i = 0; ok && i < dot->profile->row_count; i++)
		ok = add_row(dot, i) || sprof_error_no_memory(err);
	for (size_t i = 0; ok && i < dot->flat.count; i++)
		write_node(dot, &dot->flat.rows[i]);
	if (ok && dot->edge_count)
		qsort(dot->edges, dot->edge_count, sizeof(*dot->edges), compare_edges);
	for (size_t i = 0; ok && i < dot->edge_count && i < EDGES_PER_NODE * dot->options->nodes;
		i++)
		write_edge(dot, &dot->edges[i]);
	return ok;
}

static bool write_one(
	const struct dot *from, uint32_t thread, unsigned cluster, struct sprof_error *err)
{
	struct dot dot = {
		.profile = from->profile,
		.view = {.weight = from->view.weight, .thread = thread},
		.out = from->out,
		.options = from->options,
		.cluster = cluster,
	};
	bool ok = write_view(&dot, err);

	finish(&dot);
	return ok;
}

static bool write_threads(struct dot *dot, struct sprof_error *err)
{
	for (uint32_t i = 0; i < dot->profile->thread_count; i++) {
		const struct sprof_profile_thread *thread = &dot->profile->threads[i];

		sprof_out_printf(dot->out, "subgraph cluster_%u {\n  label=\"%d ", i, thread->tid);
		sprof_dot_text(dot->out, thread->name);
		sprof_out_puts(dot->out, "\";\n");
		if (!write_one(dot, i, i, err))
			return false;
		sprof_out_puts(dot->out, "}\n");
	}
	return true;
}

static bool write_dot(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct dot dot = {
		.profile = profile, .view.weight = options->weight, .out = out, .options = options};
	bool ok;

	sprof_out_puts(out,
		"digraph profile {\n"
		"  node [shape=box, style=filled, fontname=\"sans-serif\"];\n"
		"  edge [fontname=\"sans-serif\"];\n");
	if (options->report_mode == SPROF_REPORT_PER_THREAD)
		ok = write_threads(&dot, err);
	else
		ok = write_one(&dot, SPROF_PROFILE_NONE, 0, err);
	sprof_out_puts(out, "}\n");
	return ok;
}

const struct sprof_format sprof_format_dot = {
	.name = "dot",
	.suffix = ".dot",
	.summary = "the call graph, for Graphviz: the 80 heaviest functions, or --top",
	.write = write_dot,
};
