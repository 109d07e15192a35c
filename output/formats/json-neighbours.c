/*
 * The JSON members "callers" and "callees" for the requested functions: the direct ones, and the
 * paths beyond. profile/views/neighbours.h and the view's origin define the figures, in the
 * weight's unit.
 */
#include "output/formats/json-neighbours.h"

#include "profile/views/neighbours.h"

static void write_number(struct sprof_json *json, const char *name, uint64_t number)
{
	sprof_json_format(json, ",\"%s\":", name);
	sprof_json_number(json, number);
}

static void write_items(struct sprof_json *json, const struct sprof_neighbour *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sprof_json_format(json, "%s{\"function\":%u", i ? "," : "", items[i].function);
		write_number(json, "self", items[i].self);
		write_number(json, "total", items[i].value);
		sprof_json_text(json, "}");
	}
}

struct side {
	const struct sprof_profile *profile;
	const struct sprof_output_options *options;
	const char *name, *pattern;
	bool callees;
};

static void write_node(
	struct sprof_json *json, const struct sprof_graph_node *node, bool callees, bool first)
{
	sprof_json_format(json, "%s{\"depth\":%u", first ? "" : ",", node->depth);
	write_number(json, "function", node->function);
	write_number(json, "calls", node->calls);
	write_number(json, "self", callees ? node->self : node->own);
	write_number(json, "total", node->total);
	sprof_json_text(json, "}");
}

static void write_nodes(
	struct sprof_json *json, const struct side *side, const struct sprof_graph *graph)
{
	const double min = side->options->min_percent;
	const size_t depth = side->options->depth;
	bool first = true;
	size_t i = 1;

	while (i < graph->count) {
		const struct sprof_graph_node *node = &graph->nodes[i];

		if ((depth && node->depth > depth) ||
			sprof_percent(node->total, graph->nodes[0].total) < min) {
			i = node->end;
			continue;
		}
		write_node(json, node, side->callees, first);
		first = false;
		i++;
	}
}

/*
 * The paths beyond the direct neighbours are a flat list, because a tree may be too deep for
 * readers.
 */
static bool write_tree(struct sprof_json *json, const struct side *side, const uint32_t *function,
	struct sprof_error *err)
{
	const double min = side->options->min_percent;
	const struct sprof_view view = {
		.weight = side->options->weight,
		.thread = SPROF_PROFILE_NONE,
		.folds_recursion = !side->options->unfold,
		.min_percent = min > 0 ? min : 0,
		.origin = function,
	};
	struct sprof_graph graph;

	if (!sprof_graph_build(side->profile, &view,
		    side->callees ? SPROF_GRAPH_CALLER : SPROF_GRAPH_CALLEE, &graph, err))
		return false;
	sprof_json_text(json, ",\"tree\":[");
	write_nodes(json, side, &graph);
	sprof_json_text(json, "]");
	sprof_graph_finish(&graph);
	return true;
}

static bool write_function(struct sprof_json *json, const struct side *side,
	const struct sprof_neighbours *neighbours, const struct sprof_neighbourhood *function,
	struct sprof_error *err)
{
	const struct sprof_neighbour *items = neighbours->items + function->first;
	const bool callees = side->callees;

	sprof_json_format(json, "{\"function\":%u", function->function);
	write_number(json, "depth", function->depth);
	write_number(json, "self", function->self);
	write_number(json, "total", function->total);
	if (!callees)
		write_number(json, "root", function->root);
	sprof_json_format(json, ",\"%s\":[", side->name);
	write_items(json, callees ? items + function->callers : items,
		callees ? function->callees : function->callers);
	sprof_json_text(json, "]");
	if (!write_tree(json, side, &function->function, err))
		return false;
	sprof_json_text(json, "}");
	return true;
}

static bool write_side(struct sprof_json *json, const struct side *side, struct sprof_error *err)
{
	const struct sprof_view view = {
		.weight = side->options->weight, .thread = SPROF_PROFILE_NONE};
	struct sprof_neighbours neighbours;
	bool ok = true;

	if (!side->pattern)
		return true;
	if (!sprof_neighbours_build(side->profile, &view, side->pattern, &neighbours, err))
		return false;
	sprof_json_format(json, ",\n\"%s\":[", side->name);
	for (size_t i = 0; ok && i < neighbours.count; i++) {
		sprof_json_text(json, i ? ",\n" : "\n");
		ok = write_function(json, side, &neighbours, &neighbours.functions[i], err);
	}
	sprof_json_text(json, "]");
	sprof_neighbours_finish(&neighbours);
	return ok;
}

bool sprof_json_neighbours(struct sprof_json *json, const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_error *err)
{
	const struct side callers = {profile, options, "callers", options->callers, false};
	const struct side callees = {profile, options, "callees", options->callees, true};

	return write_side(json, &callers, err) && write_side(json, &callees, err);
}
