/*
 * The rows of a profile grouped by a label, such as the ranks of a job or the tenants of a service;
 * the label may be sprof's or another tool's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/strtab.h"
#include "profile/model/profile.h"

struct sprof_group {
	const char *name;         /* NULL: rows without the label */
	const char *host;         /* common to all its rows; NULL: they differ, or unknown */
	struct sprof_metrics sum; /* over its rows */
	/* groups of frames: over all rows with such a frame on the stack */
	struct sprof_metrics total;
	uint32_t threads; /* number of threads with rows in the group, or in its total */
};

struct sprof_groups {
	const char *label;
	bool of_frames; /* grouped by frames: a row is in the group of its innermost frame */
	/*
	 * Sorted by number if all names are numbers, else by weight; rows without the label come
	 * last.
	 */
	struct sprof_group *items;
	size_t count, capacity;
	uint32_t *of_row; /* by row: index of its group */
	struct sprof_strtab *names;
};

/*
 * Fills *ret; the caller finishes it. A row with several values of the label is in a group named
 * after all of them. Fails if no row has the label, and lists the existing labels.
 */
SPROF_MUST_USE bool sprof_groups_build(const struct sprof_profile *profile, const char *label,
	enum sprof_weight weight, struct sprof_groups *ret, struct sprof_error *err);

/* Group names by row and by frame. Equal names are equal pointers. */
struct sprof_grouping {
	const char **rows;  /* by row; NULL: in no named group */
	const char **lines; /* by line of a location; NULL array: not grouped by frames */
};

/*
 * Fills and sorts the groups. The caller sets the label, and the names if the groups are to own
 * them. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_groups_fill(const struct sprof_profile *profile,
	const struct sprof_grouping *grouping, enum sprof_weight weight, struct sprof_groups *ret);

void sprof_groups_finish(struct sprof_groups *groups);
