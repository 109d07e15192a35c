/*
 * The direct callers and callees of functions, and each one's part of the function's time. A
 * read-only view of the rows.
 *
 * A stack counts once for each function on it, even if the function recurs. The caller is that of
 * the function's outermost call; the callee is that of its innermost call. So no function is its
 * own caller or callee, and these sums are exact:
 *
 *   root + values of the callers = total
 *   self + values of the callees = total
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/views/view.h"

struct sprof_neighbour {
	uint32_t of;       /* the function */
	uint32_t function; /* its caller or callee */
	bool is_callee;
	uint64_t value; /* part of the time of `of` */
	/*
	 * Part of `value`. For a caller: time in `of` itself. For a callee: time in the callee
	 * itself, without recursive calls further in.
	 */
	uint64_t self;
};

struct sprof_neighbourhood {
	uint32_t function;
	uint32_t depth; /* largest recursion depth on one stack */
	uint64_t self, total;
	/* parts of total and self where it is the outermost function */
	uint64_t root, root_self;
	/* in `items`: callers first, each list by value, descending */
	size_t first, callers, callees;
};

struct sprof_neighbours {
	struct sprof_neighbourhood *functions; /* by total, descending, then by name */
	size_t count;
	struct sprof_neighbour *items;
	uint64_t whole; /* of the whole view */
};

/*
 * For functions with names that match `pattern` (see profile/edit/filter.h); NULL: for all with
 * weight. Fills *ret; the caller finishes it. Fails on an invalid pattern (kind USAGE).
 */
SPROF_MUST_USE bool sprof_neighbours_build(const struct sprof_profile *profile,
	const struct sprof_view *view, const char *pattern, struct sprof_neighbours *ret,
	struct sprof_error *err);
void sprof_neighbours_finish(struct sprof_neighbours *neighbours);
