/*
 * The flame graph as an SVG file: all threads together, one weight, callers below callees. Chooses
 * the frames and their widths; svg.c draws them. Leaves out frames that would be too narrow even
 * when zoomed, so this limit determines the file's size, not the profile. In a difference, the
 * later profile determines the widths, and the colour shows the change of a frame's share: red for
 * more, blue for less.
 */
#include "output/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "output/formats/svg.h"
#include "output/units.h"
#include "profile/model/expand.h"
#include "profile/views/view.h"

/* Percent of the whole: a quarter of a pixel. */
static const double min_percent = 0.02;

enum {
	COLOURS = 10 /* m0 to m9 in web/flame.css */
};

struct flame {
	const struct sprof_profile *profile;
	const struct sprof_graph *graph;
	enum sprof_weight weight;
	uint32_t base_threads; /* 0: no difference */
	bool absolute;         /* the base is not scaled */
	struct sprof_svg svg;
	uint64_t *before;      /* by node: the base threads' part of its total */
	uint64_t *before_self; /* and the base threads' part of its self weight */
	uint64_t *next;        /* by node: the start of its next child */
	unsigned *colours;     /* by module: its number by first appearance, from 1 */
	unsigned last_colour;
};

static uint64_t total_of(const struct flame *flame, size_t node)
{
	return flame->graph->nodes[node].total - flame->before[node];
}

static bool is_shown(const struct flame *flame, size_t node)
{
	return sprof_percent(total_of(flame, node), flame->svg.whole) >= min_percent;
}

static uint32_t depth_of(const struct flame *flame)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < flame->graph->count; i++) {
		if (flame->graph->nodes[i].depth > depth && is_shown(flame, i))
			depth = flame->graph->nodes[i].depth;
	}
	return depth;
}

/* Frames of one module differ a little; the same function always looks the same. */
static double opacity_of(const char *name)
{
	unsigned hash = 0;

	while (*name)
		hash = hash * 31 + (unsigned char)*name++;
	return 0.7 + (hash >> 3) % 31 / 100.0;
}

/* The heaviest path comes first, so its modules get the first colours. */
static const char *colour_of(struct flame *flame, uint32_t module)
{
	static const char *const classes[COLOURS] = {
		"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"};

	if (!flame->colours[module])
		flame->colours[module] = ++flame->last_colour;
	return classes[(flame->colours[module] - 1) % COLOURS];
}

/* Adds a stack's weight to its nodes, down to the graph's limit. */
static void add_before(struct flame *flame, const struct sprof_expansion *frames, uint64_t weight)
{
	const struct sprof_graph_node *nodes = flame->graph->nodes;
	uint32_t node = 0;

	flame->before[0] += weight;
	for (size_t i = frames->count; i-- > 0;) {
		uint32_t end = nodes[node].end, child = node + 1;

		while (child < end && nodes[child].function != frames->frames[i]->function)
			child = nodes[child].end;
		if (child >= end)
			return;
		node = child;
		flame->before[node] += weight;
	}
	flame->before_self[node] += weight;
}

static bool count_before(struct flame *flame)
{
	const struct sprof_profile *profile = flame->profile;
	struct sprof_expansion frames = {0};
	bool ok = true;

	for (size_t i = 0; ok && flame->base_threads && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		uint64_t weight = sprof_metrics_get(&row->metrics, flame->weight);

		if (row->thread >= flame->base_threads || !weight)
			continue;
		ok = sprof_expansion_fill(&frames, profile, row->stack);
		if (ok)
			add_before(flame, &frames, weight);
	}
	sprof_expansion_finish(&frames);
	return ok;
}

/* The factor that makes the base's figures comparable with the new profile's. */
static double scale_of(const struct flame *flame)
{
	if (flame->absolute || !flame->before[0])
		return 1;
	return (double)flame->svg.whole / (double)flame->before[0];
}

/* The colour of a frame in a difference: stronger for a larger change, in percent of the whole. */
static void colour_change(const struct flame *flame, size_t index, struct sprof_svg_frame *frame)
{
	double now = (double)frame->total, before = (double)flame->before[index] * scale_of(flame);
	double change =
		100 * (now > before ? now - before : before - now) / (double)flame->svg.whole;

	frame->colour = change < min_percent ? "none" : now > before ? "more" : "less";
	if (change >= min_percent)
		frame->opacity = change > 10 ? 1 : 0.15 + change * 0.085;
}

static struct sprof_figure figure_of(const struct flame *flame, uint64_t value)
{
	return sprof_figure_value(flame->profile, flame->weight, value);
}

/* Writes the tooltip. */
static void describe(const struct flame *flame, size_t index, char *figures, size_t size)
{
	uint64_t total = total_of(flame, index);
	uint64_t self = flame->graph->nodes[index].self - flame->before_self[index];
	int length = snprintf(figures, size, "%s, %.2f %%; self %s", figure_of(flame, total).text,
		sprof_percent(total, flame->svg.whole), figure_of(flame, self).text);

	if (flame->base_threads && (size_t)length < size)
		snprintf(figures + length, size - (size_t)length, "; before %s, %.2f %%; self %s",
			figure_of(flame, flame->before[index]).text,
			sprof_percent(flame->before[index], flame->before[0]),
			figure_of(flame, flame->before_self[index]).text);
}

static bool put_node(struct flame *flame, size_t index, uint64_t start)
{
	const struct sprof_graph_node *node = &flame->graph->nodes[index];
	const struct sprof_profile_function *function = node->function == SPROF_PROFILE_NONE
		? NULL
		: &flame->profile->functions[node->function];
	bool has_module = function && function->module != SPROF_PROFILE_NONE;
	char figures[128];
	struct sprof_svg_frame frame = {
		.name = function ? function->name : "all",
		.figures = figures,
		.colour = has_module ? colour_of(flame, function->module) : "none",
		.opacity = function ? opacity_of(function->name) : 1,
		.start = start,
		.total = total_of(flame, index),
		.depth = node->depth,
	};

	if (has_module)
		frame.place = sprof_module_name(
			sprof_modules_get(flame->profile->modules, function->module));
	if (flame->base_threads)
		colour_change(flame, index, &frame);
	describe(flame, index, figures, sizeof(figures));
	return sprof_svg_put_frame(&flame->svg, &frame);
}

static bool put_nodes(struct flame *flame)
{
	const struct sprof_graph *graph = flame->graph;

	for (size_t i = 0; i < graph->count; i++) {
		const struct sprof_graph_node *node = &graph->nodes[i];
		uint64_t start = 0;

		if (node->parent != SPROF_PROFILE_NONE) {
			start = flame->next[node->parent];
			flame->next[node->parent] += total_of(flame, i);
		}
		flame->next[i] = start;
		if (is_shown(flame, i) && !put_node(flame, i, start))
			return false;
	}
	return true;
}

static bool allocate(struct flame *flame)
{
	const struct sprof_modules *modules = flame->profile->modules;
	size_t module_count = sprof_modules_count(modules);

	flame->before = calloc(flame->graph->count, sizeof(*flame->before));
	flame->before_self = calloc(flame->graph->count, sizeof(*flame->before_self));
	flame->next = calloc(flame->graph->count, sizeof(*flame->next));
	flame->colours = calloc(module_count + 1, sizeof(*flame->colours));
	return flame->before && flame->before_self && flame->next && flame->colours;
}

static bool write_graph(struct flame *flame)
{
	char subtitle[128];
	uint64_t whole;

	if (!allocate(flame) || !count_before(flame))
		return false;
	whole = total_of(flame, 0);
	snprintf(subtitle, sizeof(subtitle), "%s %s%s, all threads%s", figure_of(flame, whole).text,
		sprof_profile_weight_name(flame->profile, flame->weight),
		sprof_weight_is_time(flame->weight) ? " time" : "",
		flame->base_threads ? "; red: more than before, blue: less" : "");
	flame->svg.subtitle = subtitle;
	flame->svg.whole = whole ? whole : 1;
	flame->svg.depth = depth_of(flame);
	if (!sprof_svg_begin(&flame->svg) || !put_nodes(flame))
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
		.base_threads = options->base_threads,
		.absolute = options->absolute,
		.svg.out = out,
		.svg.title = profile->command ? profile->command : "unknown program",
	};
	bool ok;

	if (!sprof_graph_build(profile, &view, SPROF_GRAPH_CALLER, &graph, err))
		return false;
	ok = write_graph(&flame);
	free(flame.before);
	free(flame.before_self);
	free(flame.next);
	free(flame.colours);
	sprof_graph_finish(&graph);
	return ok || sprof_error_no_memory(err);
}

const struct sprof_format sprof_format_svg = {
	.name = "svg",
	.suffix = ".svg",
	.summary = "an interactive flame graph in one file",
	.compares = true,
	.write = write_svg,
};
