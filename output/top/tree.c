/*
 * The call tree of sprof top, with branches that fold and unfold. A path is identified by the names
 * on it, so it keeps its state over refreshes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "output/top/views.h"
#include "profile/views/view.h"

enum { TOTAL, SELF, NAME };

static const struct sprof_top_column columns[] = {
	[TOTAL] = {"TOTAL%", SPROF_TOP_PERCENT, 0, 0},
	[SELF] = {"SELF%", SPROF_TOP_PERCENT, 0, 1},
	[NAME] = {"CALL TREE", SPROF_TOP_FUNCTION, 0, 0},
};

static bool is_unfolded(const struct sprof_top_shown *shown, uint64_t id, uint32_t depth)
{
	const struct sprof_top_folds *folds = shown->folds;
	bool open = depth <= folds->open_depth;

	for (size_t i = 0; i < folds->count; i++)
		open ^= folds->toggled[i] == id;
	return open || shown->unfolds_all;
}

static bool add(const struct sprof_top_shown *shown, const struct sprof_graph_node *node,
	uint64_t id, struct sprof_top_table *table)
{
	struct sprof_top_row *row = sprof_top_table_add(table);

	if (!row)
		return false;
	row->id = id;
	row->depth = node->depth;
	row->cells[TOTAL].number = sprof_top_percent(shown, node->total);
	row->cells[SELF].number = sprof_top_percent(shown, node->self);
	row->cells[NAME].text = shown->profile->functions[node->function].name;
	return true;
}

/* Of the outermost functions, only [unsampled], or all others. */
static bool add_all(const struct sprof_top_shown *shown, const struct sprof_graph *graph,
	bool is_unsampled, uint64_t *ids, struct sprof_top_table *table)
{
	for (size_t i = 1; i < graph->count;) {
		const struct sprof_graph_node *node = &graph->nodes[i];
		const char *name = shown->profile->functions[node->function].name;
		bool unfolded;

		if (!node->parent &&
			sprof_top_is_unsampled(shown->profile, node->function) != is_unsampled) {
			i = node->end;
			continue;
		}
		ids[i] = sprof_hash_bytes(name, strlen(name), ids[node->parent]);
		unfolded = is_unfolded(shown, ids[i], node->depth);
		if (!add(shown, node, ids[i], table))
			return false;
		if (node->end > i + 1)
			table->rows[table->count - 1].mark = unfolded ? '-' : '+';
		i = unfolded ? i + 1 : node->end;
	}
	return true;
}

bool sprof_top_tree(
	const struct sprof_top_shown *shown, struct sprof_top_table *table, struct sprof_error *err)
{
	const struct sprof_view view = {
		.weight = SPROF_WEIGHT_WALL, .thread = SPROF_PROFILE_NONE, .folds_recursion = true};
	SPROF_AUTO_FREE uint64_t *ids = NULL;
	struct sprof_graph graph;
	bool ok;

	table->columns = columns;
	table->column_count = sizeof(columns) / sizeof(columns[0]);
	table->keeps_order = true;
	if (!sprof_graph_build(shown->profile, &view, SPROF_GRAPH_CALLER, &graph, err))
		return false;
	ids = calloc(graph.count + 1, sizeof(*ids));
	if (ids)
		ids[0] = SPROF_HASH_BASIS;
	ok = ids && add_all(shown, &graph, false, ids, table) &&
		add_all(shown, &graph, true, ids, table);
	sprof_graph_finish(&graph);
	return ok || sprof_error_no_memory(err);
}
