/*
 * The caller graph and the callee graph: prefix trees over the functions of the stacks, read from
 * the outermost inwards or from the innermost outwards.
 *
 * The tree is built level by level, and not below paths too small to be shown. So time and memory
 * depend on the limit, not on the depth and variety of stacks. Finally the nodes are laid out depth
 * first with sorted children, so readers need no links.
 */
#include "profile/views/view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interned.h"
#include "profile/classify/own-place.h"
#include "profile/model/expand.h"
#include "profile/model/recursion.h"

/* A node while the tree grows. Node 0 is the root, so that 0 ends a list of children. */
struct seed {
	uint32_t function, parent;
	uint32_t first_child, next_sibling;
	uint32_t laid_out;    /* its index in the graph */
	uint32_t calls;       /* the most of one path */
	enum sprof_mark mark; /* joined of all its calls */
	uint64_t self, total, own, samples;
};

/* A row descending through the tree. */
struct path {
	size_t first; /* index in the steps */
	uint32_t depth;
	uint32_t node; /* the node it has reached */
	uint64_t weight, own, samples;
};

struct growth {
	const struct sprof_profile *profile;
	const struct sprof_view *view;
	enum sprof_graph_direction direction;
	struct sprof_step *steps; /* of all paths, in the order of the direction */
	size_t step_count, step_capacity;
	struct path *paths; /* paths with further frames */
	size_t path_count, path_capacity;
	struct sprof_idmap children; /* (parent, function) */
	struct seed *seeds;
	size_t count, capacity;
	uint32_t *pending; /* to be laid out, the last one first */
	size_t pending_count, pending_capacity;
};

static void finish(struct growth *growth)
{
	sprof_idmap_finish(&growth->children);
	free(growth->steps);
	free(growth->paths);
	free(growth->seeds);
	free(growth->pending);
}

/* The root is node 0, and no node's child. */
static bool child_of(struct growth *growth, uint32_t parent, uint32_t function, uint32_t *ret)
{
	const struct sprof_interned seeds =
		SPROF_INTERNED(&growth->children, growth->seeds, growth->count, growth->capacity);
	const struct seed seed = {.function = function, .parent = parent};
	const size_t before = growth->count;

	if (!sprof_intern(&seeds, sprof_key(parent, function), &seed, ret))
		return false;
	if (*ret == before && before) {
		growth->seeds[*ret].next_sibling = growth->seeds[parent].first_child;
		growth->seeds[parent].first_child = *ret;
	}
	return true;
}

/* The frames that are on the path, innermost first. */
struct part {
	const struct sprof_profile_line **frames;
	size_t count;
};

/* The part of the stack beyond the origin. Returns false if the origin is not on it. */
static bool take_part(
	const struct growth *growth, const struct sprof_expansion *frames, struct part *part)
{
	const bool callees = growth->direction == SPROF_GRAPH_CALLER;
	size_t i = callees ? 0 : frames->count;

	*part = (struct part){frames->frames, frames->count};
	if (!growth->view->origin)
		return true;
	if (callees) {
		while (i < frames->count && frames->frames[i]->function != *growth->view->origin)
			i++;
		part->count = i;
		return i < frames->count;
	}
	while (i > 0 && frames->frames[i - 1]->function != *growth->view->origin)
		i--;
	part->frames += i;
	part->count -= i;
	return i > 0;
}

static bool reserve_path(struct growth *growth, size_t steps)
{
	return sprof_array_reserve(&growth->steps, &growth->step_capacity,
		       growth->step_count + steps, sizeof(*growth->steps)) &&
		sprof_array_reserve(&growth->paths, &growth->path_capacity, growth->path_count + 1,
			sizeof(*growth->paths));
}

static size_t add_steps(struct growth *growth, const struct part *part)
{
	struct sprof_step *steps = growth->steps + growth->step_count;
	size_t count = part->count;

	for (size_t i = 0; i < count; i++) {
		bool outermost_first = growth->direction == SPROF_GRAPH_CALLER;
		const struct sprof_profile_line *frame =
			part->frames[outermost_first ? count - 1 - i : i];

		steps[i] = (struct sprof_step){frame->function, frame->mark, 1};
	}
	if (growth->view->folds_recursion)
		count = sprof_recursion_fold(steps, count);
	growth->step_count += count;
	return count;
}

/* The root counts the path already here, and all of it if it has no step. */
static bool add_path(struct growth *growth, const struct part *part, const struct path *weights)
{
	struct path path = *weights;
	struct seed *root = &growth->seeds[0];

	root->total += path.weight;
	root->own += path.own;
	root->samples += path.samples;
	if (!part->count) {
		root->self += path.weight;
		return true;
	}
	if (!reserve_path(growth, part->count))
		return false;
	path.first = growth->step_count;
	path.depth = (uint32_t)add_steps(growth, part);
	growth->paths[growth->path_count++] = path;
	return true;
}

static bool add_rows(struct growth *growth)
{
	const struct sprof_profile *profile = growth->profile;
	const struct sprof_view *view = growth->view;
	struct sprof_expansion frames = {0};
	struct part part;
	uint32_t root;
	bool ok = child_of(growth, SPROF_PROFILE_NONE, SPROF_PROFILE_NONE, &root);

	for (size_t i = 0; ok && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		struct path path = {.weight = sprof_metrics_get(&row->metrics, view->weight),
			.samples = row->metrics.samples};

		if (!path.weight || !sprof_view_takes(view, profile, i))
			continue;
		ok = sprof_expansion_fill(&frames, profile, row->stack);
		if (ok && view->own_code)
			sprof_own_frames_keep(profile, row->stack, &frames);
		if (!ok || !take_part(growth, &frames, &part))
			continue;
		if (view->origin && frames.frames[0]->function == *view->origin)
			path.own = path.weight;
		ok = add_path(growth, &part, &path);
	}
	sprof_expansion_finish(&frames);
	return ok;
}

static void count_step(
	struct seed *seed, const struct path *path, const struct sprof_step *step, bool is_new)
{
	seed->total += path->weight;
	seed->own += path->own;
	seed->samples += path->samples;
	seed->mark = is_new ? step->mark : sprof_mark_join(seed->mark, step->mark);
	if (seed->calls < step->calls)
		seed->calls = step->calls;
}

/* Moves every path to the node of its function at `level`, and counts it there. */
static bool grow_level(struct growth *growth, uint32_t level)
{
	for (size_t i = 0; i < growth->path_count; i++) {
		struct path *path = &growth->paths[i];
		const struct sprof_step *step = &growth->steps[path->first + level];
		const size_t before = growth->count;

		assert(level < path->depth);
		if (!child_of(growth, path->node, step->function, &path->node))
			return false;
		count_step(&growth->seeds[path->node], path, step, path->node == before);
		if (level + 1 == path->depth)
			growth->seeds[path->node].self += path->weight;
	}
	return true;
}

/* Drops paths that have ended, or are in a part of the tree that is too small. */
static void drop_paths(struct growth *growth, uint32_t level, double min_percent)
{
	uint64_t whole = growth->seeds[0].total;
	size_t kept = 0;

	for (size_t i = 0; i < growth->path_count; i++) {
		const struct path *path = &growth->paths[i];
		uint64_t total = growth->seeds[path->node].total;

		if (level + 1 < path->depth && sprof_percent(total, whole) >= min_percent)
			growth->paths[kept++] = *path;
	}
	growth->path_count = kept;
}

static bool grow(struct growth *growth, double min_percent)
{
	for (uint32_t level = 0; growth->path_count; level++) {
		if (!grow_level(growth, level))
			return false;
		drop_paths(growth, level, min_percent);
	}
	return true;
}

/* Lightest first: the last pending node is laid out next. */
static int compare(const void *left, const void *right, void *data)
{
	const struct growth *growth = data;
	const struct sprof_profile_function *functions = growth->profile->functions;
	const struct seed *a = &growth->seeds[*(const uint32_t *)left];
	const struct seed *b = &growth->seeds[*(const uint32_t *)right];
	int by_name;

	if (a->total != b->total)
		return a->total < b->total ? -1 : 1;
	by_name = strcmp(functions[b->function].name, functions[a->function].name);
	return by_name ? by_name : (a->function < b->function) - (a->function > b->function);
}

static bool push_children(struct growth *growth, uint32_t seed)
{
	size_t before = growth->pending_count;

	for (uint32_t i = growth->seeds[seed].first_child; i; i = growth->seeds[i].next_sibling) {
		if (!SPROF_ARRAY_APPEND(
			    growth->pending, growth->pending_count, growth->pending_capacity, i))
			return false;
	}
	if (growth->pending_count - before > 1)
		qsort_r(growth->pending + before, growth->pending_count - before,
			sizeof(*growth->pending), compare, growth);
	return true;
}

static void lay_out_one(
	const struct growth *growth, const struct seed *seed, struct sprof_graph *graph)
{
	struct sprof_graph_node node = {
		.function = seed->function,
		.parent = SPROF_PROFILE_NONE,
		.end = (uint32_t)graph->count + 1,
		.mark = seed->mark,
		.calls = seed->calls,
		.self = seed->self,
		.total = seed->total,
		.own = seed->own,
		.samples = seed->samples,
	};

	if (graph->count) {
		node.parent = growth->seeds[seed->parent].laid_out;
		node.depth = graph->nodes[node.parent].depth + 1;
	}
	graph->nodes[graph->count++] = node;
}

static bool lay_out(struct growth *growth, struct sprof_graph *graph)
{
	uint32_t seed = 0;

	graph->nodes = calloc(growth->count, sizeof(*graph->nodes));
	if (!graph->nodes)
		return false;
	for (;;) {
		growth->seeds[seed].laid_out = (uint32_t)graph->count;
		lay_out_one(growth, &growth->seeds[seed], graph);
		if (!push_children(growth, seed))
			return false;
		if (!growth->pending_count)
			break;
		seed = growth->pending[--growth->pending_count];
	}
	for (size_t i = graph->count; i-- > 1;) {
		struct sprof_graph_node *parent = &graph->nodes[graph->nodes[i].parent];

		if (parent->end < graph->nodes[i].end)
			parent->end = graph->nodes[i].end;
	}
	return true;
}

bool sprof_graph_build(const struct sprof_profile *profile, const struct sprof_view *view,
	enum sprof_graph_direction direction, struct sprof_graph *ret, struct sprof_error *err)
{
	struct growth growth = {.profile = profile, .view = view, .direction = direction};
	struct sprof_graph graph = {0};
	bool ok = add_rows(&growth) && grow(&growth, view->min_percent) && lay_out(&growth, &graph);

	finish(&growth);
	if (!ok) {
		sprof_graph_finish(&graph);
		return sprof_error_no_memory(err);
	}
	*ret = graph;
	return true;
}

void sprof_graph_finish(struct sprof_graph *graph)
{
	free(graph->nodes);
	*graph = (struct sprof_graph){0};
}

struct sprof_callee_shares sprof_callee_shares(const struct sprof_graph *graph, size_t node)
{
	const struct sprof_graph_node *line = &graph->nodes[node];
	const struct sprof_graph_node *above = &graph->nodes[line->parent];
	uint64_t whole = graph->nodes[0].total;
	double share = sprof_percent(line->total, whole);

	return (struct sprof_callee_shares){
		.total = share,
		.self = share,
		.parent = sprof_percent(above->total, whole),
		.fractal = sprof_graph_fractal(graph, node),
	};
}

double sprof_graph_fractal(const struct sprof_graph *graph, size_t node)
{
	const struct sprof_graph_node *line = &graph->nodes[node];

	return sprof_percent(line->total, graph->nodes[line->parent].total);
}
