/*
 * The tree of calls: calls with the same path are one line. Does not handle calls beyond the list's
 * limit.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/interned.h"
#include "output/calls/report.h"
#include "output/table.h"

enum { INDENT = 2, INDENT_MAX = 60, NONE = UINT32_MAX };

struct node {
	uint32_t function, thread;
	uint32_t parent, depth;
	uint32_t first, next; /* of its children, by time */
	uint64_t calls, unknown;
	uint64_t total_ns, max_ns;
	int64_t self_ns;
};

struct tree {
	struct node *nodes; /* parents come before their children */
	size_t count, capacity;
	struct sprof_idmap index;
	uint32_t *node_of; /* each call that is kept */
	uint32_t root;     /* the first one */
};

static const struct sprof_table_column columns[] = {
	{"thread", false, 0},
	{"comm", true, 0},
	{"function", true, 0},
	{"calls", false, 0},
	{"total(us)", false, 0},
	{"self(us)", false, 0},
	{"avg(us)", false, 1},
	{"max(us)", false, 2},
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), THREAD_COLUMNS = 2 };

static void count_call(struct tree *tree, const struct sprof_activation *calls, size_t i)
{
	const struct sprof_activation *call = &calls[i];
	struct node *node = &tree->nodes[tree->node_of[i]];
	const uint64_t ns = call->end_ns - call->begin_ns;

	node->calls++;
	if (!sprof_activation_is_timed(call->end)) {
		node->unknown++;
		return;
	}
	node->total_ns += ns;
	node->self_ns += (int64_t)ns;
	if (ns > node->max_ns)
		node->max_ns = ns;
	if (call->caller != SPROF_ACTIVATION_NONE &&
		sprof_activation_is_timed(calls[call->caller].end))
		tree->nodes[tree->node_of[call->caller]].self_ns -= (int64_t)ns;
}

static bool add_call(const struct sprof_calls_report *report, struct tree *tree, size_t i)
{
	const struct sprof_interned table =
		SPROF_INTERNED(&tree->index, tree->nodes, tree->count, tree->capacity);
	const struct sprof_activation *call = &report->books->calls[i];
	const uint32_t parent =
		call->caller == SPROF_ACTIVATION_NONE ? NONE : tree->node_of[call->caller];
	const struct node node = {
		.function = call->function,
		.thread = report->by_thread ? call->thread : SPROF_ACTIVATION_ANY,
		.parent = parent,
		.depth = parent == NONE ? 0 : tree->nodes[parent].depth + 1,
		.first = NONE,
		.next = NONE,
	};

	return sprof_intern(&table, sprof_key((uint64_t)parent << 32 | node.function, node.thread),
		&node, &tree->node_of[i]);
}

struct timed {
	uint64_t ns;
	uint32_t node;
};

static int compare_times(const void *a, const void *b)
{
	const struct timed *one = a, *other = b;

	if (one->ns != other->ns)
		return one->ns < other->ns ? -1 : 1;
	return (one->node < other->node) - (one->node > other->node);
}

/* The children of each node, the longest first. */
static bool link_nodes(struct tree *tree)
{
	struct timed *order = calloc(tree->count + 1, sizeof(*order));

	if (!order)
		return false;
	for (uint32_t i = 0; i < tree->count; i++)
		order[i] = (struct timed){tree->nodes[i].total_ns, i};
	qsort(order, tree->count, sizeof(*order), compare_times);
	for (size_t i = 0; i < tree->count; i++) {
		struct node *node = &tree->nodes[order[i].node];
		uint32_t *list =
			node->parent == NONE ? &tree->root : &tree->nodes[node->parent].first;

		node->next = *list;
		*list = order[i].node;
	}
	free(order);
	return true;
}

static bool make(const struct sprof_calls_report *report, struct tree *tree)
{
	const struct sprof_activation_books *books = report->books;

	tree->node_of = calloc(books->call_count + 1, sizeof(*tree->node_of));
	if (!tree->node_of)
		return false;
	for (size_t i = 0; i < books->call_count; i++) {
		if (!add_call(report, tree, i))
			return false;
		count_call(tree, books->calls, i);
	}
	return link_nodes(tree);
}

static void add_thread(
	const struct sprof_calls_report *report, const struct node *node, struct sprof_table *table)
{
	const struct sprof_profile_thread *thread = sprof_calls_thread(report, node->thread);
	const char *name;

	if (!node->depth && report->keys && node->thread < report->key_count) {
		name = sprof_calls_key_thread(report, report->keys[node->thread]);
		sprof_table_cell(table, "%" PRId64, report->keys[node->thread]);
		sprof_table_text(table, name ? name : "-");
		return;
	}
	if (node->depth || !thread) {
		sprof_table_cell(table, "%s", node->depth ? "" : "-");
		sprof_table_cell(table, "%s", node->depth ? "" : "-");
		return;
	}
	sprof_table_cell(table, "%d", (int)thread->tid);
	sprof_table_text(table, thread->name);
}

static void add_line(
	const struct sprof_calls_report *report, const struct node *node, struct sprof_table *table)
{
	const uint64_t known = node->calls - node->unknown;
	const int indent =
		(int)(INDENT * node->depth < INDENT_MAX ? INDENT * node->depth : INDENT_MAX);

	if (report->by_thread)
		add_thread(report, node, table);
	sprof_table_cell(table, "%*s%s", indent, "", sprof_calls_name(report, node->function));
	sprof_table_cell(table, "%" PRIu64, node->calls);
	if (!known) {
		for (int i = 0; i < 4; i++)
			sprof_table_cell(table, "-");
		return;
	}
	sprof_table_us(table, (double)node->total_ns);
	sprof_table_us(table, node->self_ns > 0 ? (double)node->self_ns : 0);
	sprof_table_us(table, (double)node->total_ns / (double)known);
	sprof_table_us(table, (double)node->max_ns);
}

/* Without recursion: paths may be long. */
static uint32_t next_of(const struct tree *tree, uint32_t node)
{
	if (tree->nodes[node].first != NONE)
		return tree->nodes[node].first;
	while (node != NONE && tree->nodes[node].next == NONE)
		node = tree->nodes[node].parent;
	return node == NONE ? NONE : tree->nodes[node].next;
}

void sprof_calls_note_limit(const struct sprof_calls_report *report, struct sprof_out *out)
{
	if (report->windows)
		sprof_calls_windows_write_seen(report->windows, out);
	if (report->books->dropped)
		sprof_out_printf(out,
			"of the first %zu calls; %" PRIu64
			" more are left out: --limit N keeps that many\n",
			report->books->call_count, report->books->dropped);
}

bool sprof_calls_tree(const struct sprof_calls_report *report, struct sprof_out *out)
{
	const size_t first = report->by_thread ? 0 : THREAD_COLUMNS;
	struct sprof_table_column shown[COLUMNS];
	struct sprof_table table = {.columns = shown + first, .column_count = COLUMNS - first};
	struct tree tree = {.root = NONE};
	bool done = make(report, &tree);

	memcpy(shown, columns, sizeof(shown));
	if (report->key_name)
		shown[0].title = report->key_name;
	if (done) {
		for (uint32_t at = tree.root; at != NONE; at = next_of(&tree, at))
			add_line(report, &tree.nodes[at], &table);
		done = sprof_table_write(&table, report->width, out);
		sprof_calls_note_limit(report, out);
	}
	sprof_table_finish(&table);
	sprof_idmap_finish(&tree.index);
	free(tree.nodes);
	free(tree.node_of);
	return done;
}
