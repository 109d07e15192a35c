/*
 * The direct callers and callees of functions, and what of a function's time belongs to each. A
 * view over the rows, read-only.
 *
 * A stack counts once for each function on it, however often the function recurs. Its caller is
 * that of the function's outermost call, its callee that of the innermost call. So a function is
 * never its own caller or callee, and these sums are exact:
 *
 *   root + values of the callers = total
 *   self + values of the callees = total
 */
#ifndef SPROF_PROFILE_NEIGHBOURS_H
#define SPROF_PROFILE_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/view.h"

struct sprof_neighbour {
	uint32_t of;       /* the function whose neighbour it is */
	uint32_t function; /* the caller or callee */
	bool is_callee;
	uint64_t value; /* of the time of `of` */
	/*
	 * Of the value: of a caller, what `of` spent itself; of a callee, what the callee did, but
	 * not in calls of it that functions further in have made.
	 */
	uint64_t self;
};

struct sprof_neighbourhood {
	uint32_t function;
	uint32_t depth; /* the most calls of it on one stack */
	uint64_t self, total;
	uint64_t root, root_self;       /* of total and self: where it is the outermost function */
	size_t first, callers, callees; /* in the items; callers first, each heaviest first */
};

struct sprof_neighbours {
	struct sprof_neighbourhood *functions; /* by total, falling, then by name */
	size_t count;
	struct sprof_neighbour *items;
	size_t item_count;
	uint64_t whole; /* of the whole view */
};

/*
 * Of the functions whose names match `pattern`, as in profile/filter.h; NULL: of all that have
 * weight. Fills *ret; the caller finishes it. Fails on an invalid pattern (kind USAGE).
 */
SPROF_MUST_USE bool sprof_neighbours_build(const struct sprof_profile *profile,
	const struct sprof_view *view, const char *pattern, struct sprof_neighbours *ret,
	struct sprof_error *err);
void sprof_neighbours_finish(struct sprof_neighbours *neighbours);

#endif
