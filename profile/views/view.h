/*
 * Read-only views for reports, computed from the rows: the flat table, the caller graph (a tree
 * from the outermost function) and the callee graph (a tree from the innermost).
 *
 * Every location must be named. Inlined functions count as functions. A function's total counts
 * each stack once, even if the function recurs on it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/profile.h"
#include "profile/views/columns.h"

/* What to show, and by which weight. */
struct sprof_view {
	enum sprof_weight weight;
	uint32_t thread;                      /* thread index; SPROF_PROFILE_NONE: all */
	const bool *chosen;                   /* by thread: whether to include it; NULL: all */
	const uint32_t *groups;               /* by row: its group; NULL: include all rows */
	uint32_t group;                       /* the group to include */
	const bool *left_out;                 /* by row: whether to leave it out; NULL: none */
	bool by_total;                        /* flat: sort by total instead of self */
	const struct sprof_column_list *sort; /* flat: columns to sort by first; NULL: none */
	/*
	 * waits: children with the same name share a row, with the first one's object, as do the
	 * clients of a server and things without a name; naps of a function, too, without an object
	 * if they differ
	 */
	bool joins_alike;
	bool own_code; /* graphs: only the program's own functions (profile/classify/own-code.h) */
	bool folds_recursion; /* graphs: fold recursion (profile/model/recursion.h) */
	double min_percent;   /* graphs: nodes with a smaller share have no children; 0: no limit */
	/*
	 * graphs: show only what is beyond this function, which becomes node 0: bottom up from its
	 * outermost call, top down from its innermost, so that its neighbours match
	 * profile/views/neighbours.h. NULL: whole stacks.
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

/* Blocked time: on input and output, on locks, and waiting for work (profile/classify/idle.h). */
struct sprof_waiting {
	uint64_t io_ns, lock_ns, idle_ns;
};

struct sprof_flat_row {
	uint32_t function;
	uint32_t threads; /* number of threads with the function on the stack */
	struct sprof_metrics self, total;
	struct sprof_waiting waiting; /* part of the total */
};

struct sprof_flat {
	/* by the view's columns, then self, then total (both descending), then name */
	struct sprof_flat_row *rows;
	size_t count;
	struct sprof_metrics sum; /* over the whole view */
};

/* Fills *ret; the caller finishes it. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_flat_build(const struct sprof_profile *profile,
	const struct sprof_view *view, struct sprof_flat *ret, struct sprof_error *err);
void sprof_flat_finish(struct sprof_flat *flat);

enum sprof_graph_direction {
	/* top down: children are callees, self is time in the function itself */
	SPROF_GRAPH_CALLER,
	SPROF_GRAPH_CALLEE, /* bottom up: children are callers, self is time that begins here */
};

struct sprof_graph_node {
	uint32_t function;    /* SPROF_PROFILE_NONE in node 0 */
	uint32_t parent;      /* node index; SPROF_PROFILE_NONE in node 0 */
	uint32_t depth;       /* 0 in node 0 */
	uint32_t end;         /* index after its subtree */
	enum sprof_mark mark; /* combined mark of all its calls on this path */
	uint32_t calls;       /* most calls folded into the node on one path; 1: none */
	uint64_t self, total;
	uint64_t own;     /* part of the total with the view's origin as innermost function */
	uint64_t samples; /* part of the total */
};

/*
 * Node 0 is the whole, or the view's origin. The others follow depth first: a loop over the array
 * walks the tree, and `end` skips a subtree. Children are sorted by total, descending, then by
 * name. Paths without weight are omitted. Nodes below the view's min_percent are included, but not
 * their children.
 */
struct sprof_graph {
	struct sprof_graph_node *nodes;
	size_t count;
};

/* Fills *ret; the caller finishes it. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_graph_build(const struct sprof_profile *profile,
	const struct sprof_view *view, enum sprof_graph_direction direction,
	struct sprof_graph *ret, struct sprof_error *err);
void sprof_graph_finish(struct sprof_graph *graph);

/*
 * The four figures of a line in the callee graph, in percent. `self` equals the total, as a share
 * of the group; `parent` is the total of the parent line, 100 at the head of a group; `fractal` is
 * 100 * self / parent: the share of the parent line that this caller explains.
 */
struct sprof_callee_shares {
	double total, self, parent, fractal;
};

struct sprof_callee_shares sprof_callee_shares(const struct sprof_graph *graph, size_t node);

/* In both graphs: this line's share of its parent line, in percent. */
double sprof_graph_fractal(const struct sprof_graph *graph, size_t node);

/*
 * A one-word classification of a function's wall time, without the time in the run queue and stolen
 * time.
 */
enum sprof_verdict {
	SPROF_VERDICT_NONE,
	SPROF_VERDICT_CPU,     /* user > 80 % */
	SPROF_VERDICT_SYSCALL, /* sys > 30 % */
	SPROF_VERDICT_IO,      /* blocked > 50 %, mostly in calls on files, sockets, pipes */
	SPROF_VERDICT_LOCK,    /* blocked > 50 %, mostly on locks */
	SPROF_VERDICT_IDLE,    /* blocked > 50 %, mostly waiting for work */
	SPROF_VERDICT_WAIT,    /* blocked > 50 %, other or unknown */
	SPROF_VERDICT_STARVED, /* there was only time in the run queue or stolen time */
	SPROF_VERDICT_COUNT,
};

void sprof_waiting_add(struct sprof_waiting *waiting, const struct sprof_profile *profile,
	const struct sprof_profile_row *row, bool is_idle);

/* The first that applies, in the order above. `waiting` NULL: unknown. */
enum sprof_verdict sprof_verdict_of(
	const struct sprof_times *times, const struct sprof_waiting *waiting);
/* For a thread, a process, or everything. `idle`: see sprof_profile_waits_for_work(). */
enum sprof_verdict sprof_verdict_of_view(
	const struct sprof_profile *profile, const struct sprof_view *view, const bool *idle);
/* "cpu", "syscall", "io", "lock", "idle", "wait", "starved"; "-" for none. */
const char *sprof_verdict_name(enum sprof_verdict verdict);
