/*
 * The caller graph and the callee graph. Both are the same prefix tree, over the functions of a stack
 * read from the outermost inwards or from the innermost outwards.
 *
 * The tree grows by hashing, with the children of a node as a linked list; at the end it is laid out
 * depth first with each list sorted, so that readers need no links at all.
 */
#include "profile/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/idmap.h"
#include "profile/expand.h"

/* A node while the tree grows. Node 0 is the root, so that 0 ends a list of children. */
struct seed {
	uint32_t function, parent;
	uint32_t first_child, next_sibling;
	uint32_t laid_out; /* its index in the graph */
	uint64_t self, total;
};

struct growth {
	const struct sprof_profile *profile;
	struct sprof_idmap children; /* (parent, function) */
	struct seed *seeds;
	size_t count, capacity;
	uint32_t *pending; /* to be laid out; the last one first */
	size_t pending_count, pending_capacity;
};

static void finish(struct growth *growth)
{
	sprof_idmap_finish(&growth->children);
	free(growth->seeds);
	free(growth->pending);
}

static bool append_seed(struct growth *growth, uint32_t parent, uint32_t function)
{
	if (!sprof_array_reserve(&growth->seeds, &growth->capacity, growth->count + 1,
		    sizeof(*growth->seeds)))
		return false;
	growth->seeds[growth->count++] = (struct seed){.function = function, .parent = parent};
	return true;
}

static bool child_of(struct growth *growth, uint32_t parent, uint32_t function, uint32_t *ret)
{
	uint32_t id = sprof_idmap_find(&growth->children, parent, function);

	if (id == SPROF_IDMAP_NONE) {
		id = (uint32_t)growth->count;
		if (!sprof_idmap_put(&growth->children, parent, function, id) ||
			!append_seed(growth, parent, function))
			return false;
		growth->seeds[id].next_sibling = growth->seeds[parent].first_child;
		growth->seeds[parent].first_child = id;
	}
	*ret = id;
	return true;
}

static bool add_path(struct growth *growth, const struct sprof_expansion *frames,
	enum sprof_graph_direction direction, uint64_t weight)
{
	uint32_t node = 0;

	growth->seeds[node].total += weight;
	for (size_t i = 0; i < frames->count; i++) {
		size_t at = direction == SPROF_GRAPH_CALLER ? frames->count - 1 - i : i;

		if (!child_of(growth, node, frames->frames[at]->function, &node))
			return false;
		growth->seeds[node].total += weight;
	}
	growth->seeds[node].self += weight;
	return true;
}

static bool add_rows(struct growth *growth, const struct sprof_view *view,
	enum sprof_graph_direction direction)
{
	const struct sprof_profile *profile = growth->profile;
	struct sprof_expansion frames = {0};
	bool ok = append_seed(growth, SPROF_PROFILE_NONE, SPROF_PROFILE_NONE);

	for (size_t i = 0; ok && i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		uint64_t weight = sprof_metrics_get(&row->metrics, view->weight);

		if (!weight || (view->thread != SPROF_PROFILE_NONE && view->thread != row->thread))
			continue;
		ok = sprof_expansion_fill(&frames, profile, row->stack) &&
			add_path(growth, &frames, direction, weight);
	}
	sprof_expansion_finish(&frames);
	return ok;
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
		if (!sprof_array_reserve(&growth->pending, &growth->pending_capacity,
			    growth->pending_count + 1, sizeof(*growth->pending)))
			return false;
		growth->pending[growth->pending_count++] = i;
	}
	if (growth->pending_count - before > 1)
		qsort_r(growth->pending + before, growth->pending_count - before,
			sizeof(*growth->pending), compare, growth);
	return true;
}

static void lay_out_one(const struct growth *growth, const struct seed *seed, struct sprof_graph *graph)
{
	struct sprof_graph_node node = {
		.function = seed->function,
		.parent = SPROF_PROFILE_NONE,
		.end = (uint32_t)graph->count + 1,
		.self = seed->self,
		.total = seed->total,
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
	struct growth growth = {.profile = profile};
	struct sprof_graph graph = {0};
	bool ok = add_rows(&growth, view, direction) && lay_out(&growth, &graph);

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
		.fractal = sprof_percent(line->total, above->total),
	};
}
