/*
 * Paths to and from the requested functions: a tree per function, with its direct callers or
 * callees first. Shares are of the function's total; in the function's own line, of the whole.
 * profile/views/neighbours.h and the view's origin define the figures.
 */
#include "output/text/text.h"

#include "profile/views/neighbours.h"

enum { INDENT = 2 };

struct part {
	const struct sprof_text *text;
	uint32_t thread;
	const char *title, *pattern;
	enum sprof_graph_direction direction;
	void (*write_figures)(
		const struct sprof_text_tree *tree, size_t node, struct sprof_row *row);
};

struct figures {
	double share, fractal;
	uint64_t self, total;
};

static void write_figures(
	const struct sprof_text *text, const struct figures *figures, struct sprof_row *row)
{

	sprof_row_percent(row, "share%", 7, figures->share);
	sprof_row_percent(row, "fractal%", 8, figures->fractal);
	sprof_text_value(text, row, "self", figures->self);
	sprof_text_value(text, row, "children", figures->total - figures->self);
	sprof_text_value(text, row, "total", figures->total);
	sprof_row_gap(row, 2, "function");
}

static void write_node(
	const struct sprof_text_tree *tree, size_t node, uint64_t self, struct sprof_row *row)
{
	const uint64_t total = tree->graph->nodes[node].total;

	write_figures(tree->text,
		&(struct figures){sprof_percent(total, tree->whole),
			sprof_graph_fractal(tree->graph, node), self, total},
		row);
}

/* For a caller: the head function's self time. */
static void write_caller(const struct sprof_text_tree *tree, size_t node, struct sprof_row *row)
{
	write_node(tree, node, tree->graph->nodes[node].own, row);
}

static void write_callee(const struct sprof_text_tree *tree, size_t node, struct sprof_row *row)
{
	write_node(tree, node, tree->graph->nodes[node].self, row);
}

static void write_head(
	const struct sprof_text *text, const struct sprof_neighbourhood *function, uint64_t whole)
{
	const double share = sprof_percent(function->total, whole);
	struct sprof_row row = {.out = text->out};
	char depth[24];

	write_figures(text, &(struct figures){share, share, function->self, function->total}, &row);
	sprof_text_calls(depth, sizeof(depth), "", function->depth);
	sprof_text_end_with_function(
		text, row.length, text->profile->functions[function->function].name, depth);
}

/* The part of the function's time without a caller. */
static void write_root(const struct sprof_text *text, const struct sprof_neighbourhood *function)
{
	const double share = sprof_percent(function->root, function->total);

	write_figures(text, &(struct figures){share, share, function->root_self, function->root},
		&(struct sprof_row){.out = text->out});
	sprof_out_fill(text->out, ' ', INDENT);
	sprof_out_puts(text->out, "[root]\n");
}

static bool write_tree(const struct part *part, const struct sprof_neighbourhood *function,
	struct sprof_error *err)
{
	const struct sprof_text *text = part->text;
	const struct sprof_view view = {
		.weight = text->options.weight,
		.thread = part->thread,
		.folds_recursion = !text->options.unfold,
		.min_percent = text->options.min_percent,
		.origin = &function->function,
	};
	struct sprof_graph graph;

	if (!sprof_graph_build(text->profile, &view, part->direction, &graph, err))
		return false;
	sprof_text_write_tree(&(struct sprof_text_tree){
		.text = text,
		.graph = &graph,
		.write_figures = part->write_figures,
		.whole = graph.nodes[0].total,
		.top = text->options.top,
		.indent = INDENT,
	});
	sprof_graph_finish(&graph);
	return true;
}

static bool write_functions(
	const struct part *part, const struct sprof_neighbours *neighbours, struct sprof_error *err)
{
	const struct sprof_text *text = part->text;
	const size_t top = text->options.top;
	const size_t shown = top && top < neighbours->count ? top : neighbours->count;

	for (size_t i = 0; i < shown; i++) {
		const struct sprof_neighbourhood *function = &neighbours->functions[i];

		sprof_out_puts(text->out, "\n");
		write_head(text, function, neighbours->whole);
		if (!write_tree(part, function, err))
			return false;
		if (part->direction == SPROF_GRAPH_CALLEE && function->root)
			write_root(text, function);
	}
	sprof_text_left_out(text, "function", 0, neighbours->count - shown);
	return true;
}

static bool write_part(const struct part *part, struct sprof_error *err)
{
	const struct sprof_text *text = part->text;
	const struct sprof_view view = {.weight = text->options.weight, .thread = part->thread};
	struct sprof_neighbours neighbours;
	bool ok;

	if (!part->pattern)
		return true;
	if (!sprof_neighbours_build(text->profile, &view, part->pattern, &neighbours, err))
		return false;
	sprof_text_title(text, part->title);
	write_figures(
		text, &(struct figures){0}, &(struct sprof_row){.out = text->out, .is_head = true});
	if (!neighbours.count)
		sprof_out_puts(text->out, "(no function that matches was seen)\n");
	ok = write_functions(part, &neighbours, err);
	sprof_neighbours_finish(&neighbours);
	return ok;
}

bool sprof_text_paths(const struct sprof_text *text, uint32_t thread, struct sprof_error *err)
{
	const struct part callers = {text, thread, "callers of each function",
		text->options.callers, SPROF_GRAPH_CALLEE, write_caller};
	const struct part callees = {text, thread, "callees of each function",
		text->options.callees, SPROF_GRAPH_CALLER, write_callee};

	return write_part(&callers, err) && write_part(&callees, err);
}
