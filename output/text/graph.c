/*
 * The caller graph and the callee graph, as indented trees. A path that is too small is left out
 * with its subtree. Indentation stops where names would have no room; deeper lines show their depth
 * as a number. paths.c has trees from single functions.
 */
#include "output/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"

enum {
	DEEPEST_INDENT = 40,
	NARROW_INDENT = 20,
};

static void write_caller_figures(
	const struct sprof_text_tree *tree, size_t node, struct sprof_row *row)
{
	const struct sprof_text *text = tree->text;
	const struct sprof_graph_node *line = &tree->graph->nodes[node];

	sprof_row_percent(row, "total%", 6, sprof_percent(line->total, tree->whole));
	sprof_text_value(text, row, "total", line->total);
	sprof_row_percent(row, "self%", 5, sprof_percent(line->self, tree->whole));
	sprof_text_value(text, row, "self", line->self);
	sprof_row_percent(row, "fractal%", 8, sprof_graph_fractal(tree->graph, node));
	sprof_row_gap(row, 2, "function");
}

static void write_callee_figures(
	const struct sprof_text_tree *tree, size_t node, struct sprof_row *row)
{
	const struct sprof_text *text = tree->text;
	const struct sprof_graph_node *line = &tree->graph->nodes[node];
	struct sprof_callee_shares shares = sprof_callee_shares(tree->graph, node);
	double part = sprof_percent(tree->graph->nodes[0].total, tree->whole) / 100;

	sprof_row_percent(row, "total%", 6, shares.total * part);
	sprof_text_value(text, row, "total", line->total);
	if (sprof_profile_counts_time(text->profile))
		sprof_row_count(row, "samples", 7, line->samples);
	sprof_row_percent(row, "self%", 5, shares.self * part);
	sprof_row_percent(row, "parent%", 7, shares.parent * part);
	sprof_row_percent(row, "fractal%", 8, shares.fractal);
	sprof_row_gap(row, 2, "function");
}

static bool is_small(const struct sprof_text_tree *tree, size_t node)
{
	return sprof_text_is_small(
		tree->text, sprof_percent(tree->graph->nodes[node].total, tree->whole));
}

static size_t deepest_indent(const struct sprof_text *text)
{
	return sprof_text_is_narrow(text) ? NARROW_INDENT : DEEPEST_INDENT;
}

/* Two columns per level if the deepest line still fits, else one. */
static size_t indent_step(const struct sprof_text_tree *tree)
{
	const struct sprof_graph_node *nodes = tree->graph->nodes;
	size_t i = 1;

	while (i < tree->graph->count) {
		if (nodes[i].depth > deepest_indent(tree->text) / 2 && !is_small(tree, i))
			return 1;
		i = is_small(tree, i) ? nodes[i].end : i + 1;
	}
	return 2;
}

static void write_name(const struct sprof_text_tree *tree, const struct sprof_graph_node *node,
	size_t step, size_t column)
{
	const struct sprof_text *text = tree->text;
	size_t indent = (node->depth - 1) * step, deepest = deepest_indent(text);
	char suffix[48];

	column += tree->indent;
	sprof_out_fill(text->out, ' ', tree->indent);
	if (indent > deepest) {
		char depth[16];

		sprof_out_fill(text->out, ' ', deepest);
		column += deepest + (size_t)snprintf(depth, sizeof(depth), "[%u] ", node->depth);
		sprof_out_puts(text->out, depth);
	} else {
		sprof_out_fill(text->out, ' ', indent);
		column += indent;
	}
	sprof_text_calls(suffix, sizeof(suffix), sprof_mark_text(node->mark), node->calls);
	sprof_text_end_with_function(
		text, column, text->profile->functions[node->function].name, suffix);
}

static int falling(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a < *b) - (*a > *b);
}

/*
 * Finds the lightest of the `most` heaviest lines, and how many of these lines are equally light. A
 * line is never heavier than its parent, so these lines form a tree. Returns false if out of
 * memory.
 */
static bool find_lightest(
	const struct sprof_graph *graph, size_t most, uint64_t *ret_lightest, size_t *ret_ties)
{
	SPROF_AUTO_FREE uint64_t *totals = calloc(graph->count, sizeof(*totals));

	for (size_t i = 1; totals && i < graph->count; i++)
		totals[i - 1] = graph->nodes[i].total;
	if (!totals)
		return false;
	qsort(totals, graph->count - 1, sizeof(*totals), falling);
	if (most >= graph->count)
		return true;
	*ret_lightest = totals[most - 1];
	for (*ret_ties = 0; *ret_ties < most && totals[most - 1 - *ret_ties] == *ret_lightest;)
		++*ret_ties;
	return true;
}

static bool is_too_light(
	const struct sprof_text_tree *tree, const struct sprof_graph_node *node, size_t *ties)
{
	if (!tree->lightest || node->total > tree->lightest)
		return false;
	if (node->total < tree->lightest || !*ties)
		return true;
	--*ties;
	return false;
}

void sprof_text_write_tree(const struct sprof_text_tree *tree)
{
	const struct sprof_text *text = tree->text;
	const size_t step = indent_step(tree);
	size_t heads = 0, beyond = 0, small_heads = 0, small = 0, light = 0, i = 1;
	size_t ties = tree->ties;

	while (i < tree->graph->count) {
		const struct sprof_graph_node *node = &tree->graph->nodes[i];
		bool is_head = node->depth == 1;

		if (text->options.depth && node->depth > text->options.depth) {
			i = node->end;
		} else if (is_small(tree, i)) {
			small_heads += is_head;
			small += !is_head;
			i = node->end;
		} else if ((is_head && tree->top && heads == tree->top) ||
			is_too_light(tree, node, &ties)) {
			beyond += is_head;
			light += !is_head;
			i = node->end;
		} else {
			struct sprof_row row = {.out = text->out};

			heads += is_head;
			tree->write_figures(tree, i++, &row);
			write_name(tree, node, step, row.length);
		}
	}
	sprof_text_left_out(text, "function", small_heads, beyond);
	sprof_text_left_out(text, "path", small, light);
}

static bool write_direction(const struct sprof_text *text, uint32_t thread,
	enum sprof_graph_direction direction, struct sprof_error *err)
{
	struct sprof_view view = {
		.weight = text->options.weight,
		.thread = thread,
		.folds_recursion = !text->options.unfold,
		.min_percent = text->options.min_percent,
	};
	bool callers = direction == SPROF_GRAPH_CALLER;
	const struct sprof_graph no_graph = {.nodes = &(struct sprof_graph_node){0}};
	struct sprof_text_tree tree;
	struct sprof_graph graph;
	uint64_t lightest = 0;
	size_t ties = 0;

	if (!sprof_graph_build(text->profile, &view, direction, &graph, err))
		return false;
	if (text->options.top_bounds_graphs && text->options.top &&
		!find_lightest(&graph, text->options.top, &lightest, &ties)) {
		sprof_graph_finish(&graph);
		return sprof_error_no_memory(err);
	}
	tree = (struct sprof_text_tree){
		.text = text,
		.graph = &graph,
		.write_figures = callers ? write_caller_figures : write_callee_figures,
		.whole = sprof_text_whole(text, graph.nodes[0].total),
		.top = callers ? 0 : text->options.top,
		.lightest = lightest,
		.ties = ties,
	};
	sprof_text_title_of(text, callers ? "caller graph (top down)" : "callee graph (bottom up)",
		&view, tree.whole);
	tree.graph = &no_graph;
	tree.write_figures(&tree, 0, &(struct sprof_row){.out = text->out, .is_head = true});
	tree.graph = &graph;
	sprof_text_write_tree(&tree);
	sprof_graph_finish(&graph);
	return true;
}

bool sprof_text_callers(const struct sprof_text *text, uint32_t thread, struct sprof_error *err)
{
	return write_direction(text, thread, SPROF_GRAPH_CALLER, err);
}

bool sprof_text_callees(const struct sprof_text *text, uint32_t thread, struct sprof_error *err)
{
	return write_direction(text, thread, SPROF_GRAPH_CALLEE, err);
}
