/*
 * Searches the tail calls between the function that was called and the one found on the stack. A
 * path counts if it visits no function twice: any way that the program took, with or without loops,
 * contains such a path. So if there is only one, all its functions were entered in this order,
 * perhaps with others in between.
 *
 * A function with a tail call to an unknown target may have entered any function, including the
 * goal. So if such a function is reachable, a second path is possible, even if only one is known.
 * gdb has the same rule: it gives no frames if a reachable call can't be resolved. Functions after
 * the goal don't matter.
 *
 * Unlike gdb, two calls in one function to the same function are one path: only the line is
 * unknown.
 */
#include "elfsym/code/tail-paths.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interned.h"

/*
 * More functions and calls than these are not searched: then a second path counts as possible. So
 * does it if the path is longer than any that a person would read.
 */
enum { MAX_NODES = 2000, MAX_EDGES = 20000, MAX_STEPS = 100 };

struct edge {
	uint32_t target; /* its node */
	uint64_t place;
};

struct node {
	uint64_t function;
	size_t first, count; /* its edges */
	uint32_t from;       /* the node that the search came from */
	uint32_t position;   /* on the path, plus one; 0: not on it */
	bool is_reached, is_passed;
};

/* Node 0 is where the search begins. */
struct search {
	const struct sprof_tail_graph *graph;
	uint64_t to;
	struct sprof_idmap by_function;
	struct node *nodes;
	size_t node_count, node_capacity;
	struct edge *edges;
	size_t edge_count, edge_capacity;
	uint32_t *queue; /* room for all nodes */
	bool leads_anywhere;
};

static void finish(struct search *search)
{
	sprof_idmap_finish(&search->by_function);
	free(search->nodes);
	free(search->edges);
	free(search->queue);
}

static bool node_of(struct search *search, uint64_t function, uint32_t *ret)
{
	const struct sprof_interned nodes = SPROF_INTERNED(
		&search->by_function, search->nodes, search->node_count, search->node_capacity);
	const struct node node = {.function = function};

	return sprof_intern(&nodes, sprof_key(0, function), &node, ret);
}

/* The goal's own calls are not read: they come after it. */
static bool read_node(struct search *search, uint32_t index)
{
	struct sprof_tail_list list = {0};
	uint64_t function = search->nodes[index].function;

	if (function != search->to && !search->graph->calls(search->graph->data, function, &list))
		return false;
	search->leads_anywhere |= list.leads_anywhere;
	if (!sprof_array_reserve(&search->edges, &search->edge_capacity,
		    search->edge_count + list.count, sizeof(*search->edges)))
		return false;
	search->nodes[index].first = search->edge_count;
	search->nodes[index].count = list.count;
	for (size_t i = 0; i < list.count; i++) {
		struct edge edge = {.place = list.items[i].place};

		if (!node_of(search, list.items[i].target, &edge.target))
			return false;
		search->edges[search->edge_count++] = edge;
	}
	return true;
}

/* There is a way, and it can't be the only one: the rest of the graph changes nothing. */
static bool is_settled(const struct search *search)
{
	return search->leads_anywhere &&
		sprof_idmap_find(&search->by_function, 0, search->to) != SPROF_IDMAP_NONE;
}

static bool is_read(const struct search *search, size_t next)
{
	return next == search->node_count || is_settled(search);
}

static bool read_graph(struct search *search, uint64_t from)
{
	uint32_t root, next = 0;

	if (!node_of(search, from, &root))
		return false;
	while (!is_read(search, next) && next < MAX_NODES && search->edge_count < MAX_EDGES) {
		if (!read_node(search, next++))
			return false;
	}
	search->leads_anywhere |= !is_read(search, next);
	search->queue = calloc(search->node_count, sizeof(*search->queue));
	return search->queue;
}

/* Whether a way leads from the first node to the goal; notes one of the shortest. */
static bool reaches(struct search *search, uint32_t goal)
{
	size_t done = 0, count = 1;

	search->queue[0] = 0;
	search->nodes[0].is_reached = true;
	while (done < count && search->queue[done] != goal) {
		uint32_t index = search->queue[done++];
		const struct node *node = &search->nodes[index];

		for (size_t i = node->first; i < node->first + node->count; i++) {
			struct node *next = &search->nodes[search->edges[i].target];

			if (next->is_reached)
				continue;
			next->is_reached = true;
			next->from = index;
			search->queue[count++] = search->edges[i].target;
		}
	}
	return done < count;
}

/*
 * Whether another path leaves at the node and returns after the next one. Visited nodes are not
 * visited again: no path from them leads beyond the node that was left.
 */
static bool has_detour(struct search *search, uint32_t start)
{
	uint32_t position = search->nodes[start].position;
	size_t done = 0, count = 1;

	search->queue[0] = start;
	while (done < count) {
		uint32_t index = search->queue[done++];
		const struct node *node = &search->nodes[index];

		for (size_t i = node->first; i < node->first + node->count; i++) {
			struct node *next = &search->nodes[search->edges[i].target];

			if (next->position > position + (index == start))
				return true;
			if (next->position || next->is_passed)
				continue;
			next->is_passed = true;
			search->queue[count++] = search->edges[i].target;
		}
	}
	return false;
}

/* Where the node calls the next one; 0: at several places. */
static uint64_t place_of(const struct search *search, uint32_t index, uint32_t next)
{
	const struct node *node = &search->nodes[index];
	uint64_t place = 0;

	for (size_t i = node->first; i < node->first + node->count; i++) {
		if (search->edges[i].target != next)
			continue;
		if (place)
			return 0;
		place = search->edges[i].place;
	}
	return place;
}

/* The way that the first search has found, the goal's node last. */
static bool list_way(struct search *search, uint32_t goal, uint32_t **ret, size_t *ret_count)
{
	size_t count = 1;
	uint32_t *way;

	for (uint32_t i = goal; i; i = search->nodes[i].from)
		count++;
	way = calloc(count, sizeof(*way));
	if (!way)
		return false;
	for (size_t i = count, node = goal; i-- > 0; node = search->nodes[node].from)
		way[i] = (uint32_t)node;
	*ret = way;
	*ret_count = count;
	return true;
}

/* Another path must leave this one and return to it. */
static bool is_only_way(struct search *search, const uint32_t *way, size_t count)
{
	for (size_t i = 0; i < count; i++)
		search->nodes[way[i]].position = (uint32_t)i + 1;
	for (size_t i = 0; i + 1 < count; i++) {
		if (has_detour(search, way[i]))
			return false;
	}
	return true;
}

static bool judge(struct search *search, uint32_t goal, struct sprof_tail_path *ret)
{
	uint32_t *way;
	size_t count;

	ret->outcome = SPROF_TAIL_PATH_SEVERAL;
	if (search->leads_anywhere)
		return true;
	if (!list_way(search, goal, &way, &count))
		return false;
	if (count <= MAX_STEPS && is_only_way(search, way, count)) {
		ret->steps = calloc(count, sizeof(*ret->steps));
		for (size_t i = 0; ret->steps && i + 1 < count; i++)
			ret->steps[ret->count++] = (struct sprof_tail_step){
				.function = search->nodes[way[i]].function,
				.place = place_of(search, way[i], way[i + 1]),
			};
		ret->outcome = SPROF_TAIL_PATH_ONE;
	}
	free(way);
	return ret->outcome != SPROF_TAIL_PATH_ONE || ret->steps;
}

bool sprof_tail_path_find(const struct sprof_tail_graph *graph, uint64_t from, uint64_t to,
	struct sprof_tail_path *ret)
{
	struct search search = {.graph = graph, .to = to};
	uint32_t goal = SPROF_IDMAP_NONE;
	bool ok;

	*ret = (struct sprof_tail_path){0};
	if (from == to)
		return true;
	ok = read_graph(&search, from);
	if (ok)
		goal = sprof_idmap_find(&search.by_function, 0, to);
	if (ok && goal != SPROF_IDMAP_NONE && reaches(&search, goal))
		ok = judge(&search, goal, ret);
	finish(&search);
	return ok;
}

void sprof_tail_path_finish(struct sprof_tail_path *path)
{
	free(path->steps);
	*path = (struct sprof_tail_path){0};
}
