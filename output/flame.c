/*
 * The flame graph as a file of its own: all threads together, one weight, callers below callees.
 * Knows which frames there are and how wide; how they are drawn is svg.c's.
 *
 * Frames too narrow to be found even by zooming in are left out, so that the file's size depends on
 * the limit and not on the profile's.
 */
#include "output/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "output/svg.h"
#include "output/units.h"
#include "profile/view.h"

/* In percent of all: a tenth of a pixel and a bit. */
static const double min_percent = 0.01;

enum {
	COLOURS = 10 /* m0 to m9 in web/flame.css */
};

struct flame {
	const struct sprof_profile *profile;
	const struct sprof_graph *graph;
	enum sprof_weight weight;
	struct sprof_svg svg;
	uint64_t *next;    /* by node: where its next child starts */
	unsigned *colours; /* by module: its number in the order in which they come, from 1 */
	unsigned last_colour;
};

static bool is_shown(const struct flame *flame, const struct sprof_graph_node *node)
{
	return sprof_percent(node->total, flame->svg.whole) >= min_percent;
}

static uint32_t depth_of(const struct flame *flame)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < flame->graph->count; i++) {
		const struct sprof_graph_node *node = &flame->graph->nodes[i];

		if (node->depth > depth && is_shown(flame, node))
			depth = node->depth;
	}
	return depth;
}

/* Neighbours of one module differ a little, the same function always looks the same. */
static double opacity_of(const char *name)
{
	unsigned hash = 0;

	while (*name)
		hash = hash * 31 + (unsigned char)*name++;
	return 0.7 + (hash >> 3) % 31 / 100.0;
}

/* The heaviest path comes first, and its modules have the first colours. */
static const char *colour_of(struct flame *flame, uint32_t module)
{
	static const char *const classes[COLOURS] = {
		"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"};

	if (!flame->colours[module])
		flame->colours[module] = ++flame->last_colour;
	return classes[(flame->colours[module] - 1) % COLOURS];
}

static bool put_node(struct flame *flame, const struct sprof_graph_node *node, uint64_t start)
{
	const struct sprof_profile_function *function =
		node->function == SPROF_PROFILE_NONE ? NULL
						     : &flame->profile->functions[node->function];
	bool has_module = function && function->module != SPROF_PROFILE_NONE;
	char figures[128];

	snprintf(figures, sizeof(figures), "%s, %.2f %%; self %s",
		sprof_figure_weight(node->total, flame->weight).text,
		sprof_percent(node->total, flame->svg.whole),
		sprof_figure_weight(node->self, flame->weight).text);
	return sprof_svg_put_frame(&flame->svg,
		&(struct sprof_svg_frame){
			.name = function ? function->name : "all",
			.place = has_module ? sprof_module_name(sprof_modules_get(
						      flame->profile->modules, function->module))
					    : NULL,
			.figures = figures,
			.colour = has_module ? colour_of(flame, function->module) : "none",
			.opacity = function ? opacity_of(function->name) : 1,
			.start = start,
			.total = node->total,
			.depth = node->depth,
		});
}

static bool put_nodes(struct flame *flame)
{
	const struct sprof_graph *graph = flame->graph;

	for (size_t i = 0; i < graph->count; i++) {
		const struct sprof_graph_node *node = &graph->nodes[i];
		uint64_t start = 0;

		if (node->parent != SPROF_PROFILE_NONE) {
			start = flame->next[node->parent];
			flame->next[node->parent] += node->total;
		}
		flame->next[i] = start;
		if (is_shown(flame, node) && !put_node(flame, node, start))
			return false;
	}
	return true;
}

static bool write_graph(struct flame *flame)
{
	const struct sprof_modules *modules = flame->profile->modules;
	char subtitle[128];
	uint64_t whole = flame->graph->nodes[0].total;

	snprintf(subtitle, sizeof(subtitle), "%s %s%s, all threads",
		sprof_figure_weight(whole, flame->weight).text, sprof_weight_name(flame->weight),
		sprof_weight_is_time(flame->weight) ? " time" : "");
	flame->svg.subtitle = subtitle;
	flame->svg.whole = whole ? whole : 1;
	flame->svg.depth = depth_of(flame);
	flame->next = calloc(flame->graph->count, sizeof(*flame->next));
	flame->colours = calloc(modules ? sprof_modules_count(modules) + 1 : 1, sizeof(unsigned));
	if (!flame->next || !flame->colours || !sprof_svg_begin(&flame->svg) || !put_nodes(flame))
		return false;
	sprof_svg_end(&flame->svg);
	return true;
}

static bool write_svg(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	const struct sprof_view view = {
		.weight = options->weight,
		.thread = SPROF_PROFILE_NONE,
		.min_percent = min_percent,
	};
	struct sprof_graph graph;
	struct flame flame = {
		.profile = profile,
		.graph = &graph,
		.weight = options->weight,
		.svg.out = out,
		.svg.title = profile->command ? profile->command : "unknown program",
	};
	bool ok;

	if (!sprof_graph_build(profile, &view, SPROF_GRAPH_CALLER, &graph, err))
		return false;
	ok = write_graph(&flame);
	free(flame.next);
	free(flame.colours);
	sprof_graph_finish(&graph);
	return ok || sprof_error_no_memory(err);
}

const struct sprof_format sprof_format_svg = {
	.name = "svg",
	.suffix = ".svg",
	.summary = "an interactive flame graph in one file",
	.write = write_svg,
};
