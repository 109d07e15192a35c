/*
 * The flame graph as an SVG file: all threads together, one weight, callers below callees. Chooses
 * the frames and their widths, and draws them. Leaves out frames that would be too narrow even when
 * zoomed, so this limit determines the file's size, not the profile. In a difference, the later
 * profile determines the widths, and the colour shows the change of a frame's share: red for more,
 * blue for less. Style and script come from output/web/flame.css and flame.js; without a script, in
 * an image viewer, the file still shows the whole graph with its labels.
 */
#include "output/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/clean.h"
#include "output/escape.h"
#include "output/fit.h"
#include "output/html/html.h"
#include "output/units.h"
#include "profile/model/expand.h"
#include "profile/views/view.h"

struct svg {
	struct sprof_out *out;
	const char *title;    /* from the target: sanitised and escaped here */
	const char *subtitle; /* untrusted: another tool's file names its weight */
	uint64_t whole;       /* the root's width; not 0 */
	uint32_t depth;       /* of the deepest frame; the root has 0 */
};

struct svg_frame {
	const char *name;      /* from the target */
	const char *place;     /* its module, also from the target; NULL: unknown */
	const char *figures;   /* trusted text, below the name in the tooltip */
	const char *colour;    /* a class of web/flame.css */
	double opacity;        /* of the colour */
	uint64_t start, total; /* in the unit of `whole` */
	uint32_t depth;
};

enum {
	WIDTH = 1200, /* px, of the root */
	ROW = 17,
	HEAD = 58, /* above the frames, for title and search */
	FOOT = 10,
	LETTER_TENTHS = 67, /* the width of a letter, in tenths of px */
	MIN_LETTERS = 3,
};

/* Writes the part of the name that fits. */
static bool put_label(struct sprof_out *out, const char *name, double width)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(name, NULL);
	size_t letters = width > 6 ? (size_t)((width - 6) * 10 / LETTER_TENTHS) : 0;
	size_t bytes;

	if (!clean)
		return false;
	if (letters < MIN_LETTERS)
		return true;
	bytes = sprof_fit_bytes(clean, letters);
	if (!clean[bytes]) {
		sprof_escape_clean(out, clean, bytes);
	} else {
		sprof_escape_clean(out, clean, sprof_fit_bytes(clean, letters - 1));
		sprof_out_puts(out, "\xe2\x80\xa6");
	}
	return true;
}

static void put_controls(struct sprof_out *out)
{
	sprof_out_puts(out,
		"<foreignObject id=\"controls\" x=\"760\" y=\"8\" width=\"432\" height=\"34\">"
		"<div xmlns=\"http://www.w3.org/1999/xhtml\"><output id=\"match\"></output>"
		"<input id=\"search\" type=\"search\" placeholder=\"Search\" "
		"aria-label=\"Search functions\"/><button id=\"reset\" type=\"button\">"
		"Reset zoom</button></div></foreignObject>\n");
}

static bool begin_svg(const struct svg *svg)
{
	struct sprof_out *out = svg->out;
	unsigned height = HEAD + FOOT + (svg->depth + 1) * ROW;

	sprof_out_printf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
		"height=\"%u\" "
		"viewBox=\"0 0 %d %u\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans "
		"Mono', monospace\" font-size=\"11\">\n<title>",
		WIDTH, height, WIDTH, height);
	if (!sprof_escape_text(out, svg->title))
		return false;
	sprof_out_puts(out, "</title>\n<style><![CDATA[\n");
	sprof_out_puts(out, sprof_web_flame_style);
	sprof_out_printf(
		out, "]]></style>\n<rect class=\"page\" width=\"100%%\" height=\"%u\"/>\n", height);
	sprof_out_puts(out, "<text class=\"heading\" x=\"8\" y=\"22\">");
	if (!put_label(out, svg->title, 740))
		return false;
	sprof_out_puts(out, "</text>\n<text class=\"soft\" x=\"8\" y=\"40\">");
	if (!sprof_escape_text(out, svg->subtitle))
		return false;
	sprof_out_puts(out, "</text>\n");
	put_controls(out);
	sprof_out_printf(out, "<g id=\"frames\" data-whole=\"%" PRIu64 "\">\n", svg->whole);
	return true;
}

static bool put_tooltip(struct sprof_out *out, const struct svg_frame *frame)
{
	sprof_out_puts(out, "<title>");
	if (!sprof_escape_text(out, frame->name))
		return false;
	if (frame->place) {
		sprof_out_puts(out, " (");
		if (!sprof_escape_text(out, frame->place))
			return false;
		sprof_out_puts(out, ")");
	}
	sprof_out_printf(out, "\n%s</title>", frame->figures);
	return true;
}

/* Zooming uses data-s and data-t: positions in px would lose tiny frames. */
static bool put_frame(const struct svg *svg, const struct svg_frame *frame)
{
	double scale = (double)WIDTH / (double)svg->whole;
	double x = (double)frame->start * scale, width = (double)frame->total * scale;
	unsigned y = HEAD + (svg->depth - frame->depth) * ROW;

	sprof_out_printf(svg->out,
		"<g data-s=\"%" PRIu64 "\" data-t=\"%" PRIu64 "\" data-d=\"%u\">", frame->start,
		frame->total, frame->depth);
	if (!put_tooltip(svg->out, frame))
		return false;
	sprof_out_printf(svg->out,
		"<rect class=\"%s\" fill-opacity=\"%.2f\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" "
		"height=\"%d\"/><text x=\"%.2f\" y=\"%u\">",
		frame->colour, frame->opacity, x, y, width, ROW - 1, x + 3, y + ROW - 5);
	if (!put_label(svg->out, frame->name, width))
		return false;
	sprof_out_puts(svg->out, "</text></g>\n");
	return true;
}

static void end_svg(const struct svg *svg)
{
	sprof_out_puts(svg->out, "</g>\n<script><![CDATA[\n");
	sprof_out_puts(svg->out, sprof_web_flame_script);
	sprof_out_puts(svg->out, "]]></script>\n</svg>\n");
}

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
	struct svg svg;
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
static void colour_change(const struct flame *flame, size_t index, struct svg_frame *frame)
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
	struct svg_frame frame = {
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
	return put_frame(&flame->svg, &frame);
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
	if (!begin_svg(&flame->svg) || !put_nodes(flame))
		return false;
	end_svg(&flame->svg);
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
