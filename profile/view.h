/*
 * What reports are made of, derived from the rows and read-only: the flat table, and the trees that
 * start at the outermost function (caller graph) or at the innermost (callee graph).
 *
 * Every location must be named. Inlined functions count as functions. A function's total counts a
 * stack once, however often the function recurs on it.
 */
#ifndef SPROF_PROFILE_VIEW_H
#define SPROF_PROFILE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/columns.h"
#include "profile/profile.h"

/* What to view, and by which weight. */
struct sprof_view {
	enum sprof_weight weight;
	uint32_t thread;        /* its index; SPROF_PROFILE_NONE: all threads */
	const bool *chosen;     /* by thread: whether to take it; NULL: all are taken */
	const uint32_t *groups; /* by row: its group; NULL: every row is taken */
	uint32_t group;         /* the group to take */
	const bool *left_out;   /* by row: whether to leave it out; NULL: none */
	bool by_total;          /* flat: sorted by total, not by self */
	const struct sprof_column_list *sort; /* flat: columns to sort by first; NULL: none */
	/* waits: children with one name share a row, which has the first one's object */
	bool joins_children;
	bool folds_recursion; /* graphs: see profile/recursion.h */
	double min_percent;   /* graphs: nodes with a smaller share have no children; 0: no limit */
	/*
	 * graphs: only what is beyond this function, for which node 0 stands. Bottom up from its
	 * outermost call, top down from its innermost, so that the direct neighbours are those of
	 * profile/neighbours.h. NULL: whole stacks.
	 */
	const uint32_t *origin;
};

static inline bool sprof_view_takes(
	const struct sprof_view *view, const struct sprof_profile *profile, size_t row)
{
	uint32_t thread = profile->rows[row].thread;

	return (view->thread == SPROF_PROFILE_NONE || view->thread == thread) &&
		(!view->chosen || view->chosen[thread]) &&
		(!view->groups || view->groups[row] == view->group) &&
		(!view->left_out || !view->left_out[row]);
}

/* The blocked time of input and output, of locks, and of waiting for work (profile/idle.h). */
struct sprof_waiting {
	uint64_t io_ns, lock_ns, idle_ns;
};

struct sprof_flat_row {
	uint32_t function;
	uint32_t threads; /* number of threads with it on the stack */
	struct sprof_metrics self, total;
	struct sprof_waiting waiting; /* of the total */
};

struct sprof_flat {
	/* by the view's columns, then by self, then total, both falling, then name */
	struct sprof_flat_row *rows;
	size_t count;
	struct sprof_metrics sum; /* of the whole view */
};

/* Fills *ret; the caller finishes it. False: no memory. */
SPROF_MUST_USE bool sprof_flat_build(const struct sprof_profile *profile,
	const struct sprof_view *view, struct sprof_flat *ret, struct sprof_error *err);
void sprof_flat_finish(struct sprof_flat *flat);

enum sprof_graph_direction {
	SPROF_GRAPH_CALLER, /* top down: children are callees, self is time that ends here */
	SPROF_GRAPH_CALLEE, /* bottom up: children are callers, self is time that begins here */
};

struct sprof_graph_node {
	uint32_t function;    /* SPROF_PROFILE_NONE for node 0 */
	uint32_t parent;      /* its index; SPROF_PROFILE_NONE for node 0 */
	uint32_t depth;       /* 0 for node 0 */
	uint32_t end;         /* the index after its subtree */
	enum sprof_mark mark; /* joined of all its calls on this path */
	uint32_t calls;       /* the most on one path that are folded into the node; 1: none */
	uint64_t self, total;
	uint64_t own;     /* of the total: where the view's origin is the innermost function */
	uint64_t samples; /* of the total */
};

/*
 * Node 0 stands for everything, or for the view's origin. The others follow depth first: a loop over the array walks the
 * tree, and `end` skips a subtree. Children are sorted by total, falling, then by name. Paths
 * without weight are left out. Nodes below the view's min_percent are included, but nothing below
 * them.
 */
struct sprof_graph {
	struct sprof_graph_node *nodes;
	size_t count;
};

/* Fills *ret; the caller finishes it. False: no memory. */
SPROF_MUST_USE bool sprof_graph_build(const struct sprof_profile *profile,
	const struct sprof_view *view, enum sprof_graph_direction direction,
	struct sprof_graph *ret, struct sprof_error *err);
void sprof_graph_finish(struct sprof_graph *graph);

/*
 * The four figures of a line of the callee graph, in percent. `self` is equal to the total, within
 * its group; `parent` is the total of the line above, 100 at the head of a group; `fractal` is 100
 * * self / parent: how much of the line above this caller explains.
 */
struct sprof_callee_shares {
	double total, self, parent, fractal;
};

struct sprof_callee_shares sprof_callee_shares(const struct sprof_graph *graph, size_t node);

/* In both graphs: how much of the line above this line is, in percent. */
double sprof_graph_fractal(const struct sprof_graph *graph, size_t node);

/* What a function's wall time says about it, in one word. */
enum sprof_verdict {
	SPROF_VERDICT_NONE,
	SPROF_VERDICT_CPU,     /* user > 80 % */
	SPROF_VERDICT_SYSCALL, /* sys > 30 % */
	SPROF_VERDICT_IO,      /* blocked > 50 %, most of it in calls on files, sockets, pipes */
	SPROF_VERDICT_LOCK,    /* blocked > 50 %, most of it for locks */
	SPROF_VERDICT_IDLE,    /* blocked > 50 %, most of it waiting for work */
	SPROF_VERDICT_WAIT,    /* blocked > 50 %, on something else or unknown */
	SPROF_VERDICT_STARVED, /* ready but without a CPU > 20 % */
	SPROF_VERDICT_COUNT,
};

void sprof_waiting_add(struct sprof_waiting *waiting, const struct sprof_profile *profile,
	const struct sprof_profile_row *row);

/* The first that applies, in the order above. `waiting` NULL: not known. */
enum sprof_verdict sprof_verdict_of(
	const struct sprof_times *times, const struct sprof_waiting *waiting);
/* Of a thread, a process, or everything. */
enum sprof_verdict sprof_verdict_of_view(
	const struct sprof_profile *profile, const struct sprof_view *view);
/* "cpu", "syscall", "io", "lock", "idle", "wait", "starved"; "-" for none. */
const char *sprof_verdict_name(enum sprof_verdict verdict);

#endif
