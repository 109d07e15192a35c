/*
 * The rows of a profile, grouped by a label: the ranks of a job, the tenants of a service, or any
 * other label of sprof or another tool.
 */
#ifndef SPROF_PROFILE_GROUPS_H
#define SPROF_PROFILE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/strtab.h"
#include "profile/profile.h"

struct sprof_group {
	const char *name;           /* NULL: the rows without the label */
	const char *host;           /* of all its rows; NULL: they differ, or it is not known */
	struct sprof_metrics sum;   /* of its rows */
	struct sprof_metrics total; /* of frames: of the rows with such a frame anywhere */
	uint32_t threads;           /* with rows in it, or in its total */
};

struct sprof_groups {
	const char *label;
	bool of_frames; /* of what frames are, not rows: a row is in the group of its innermost */
	/* By number if all names are numbers, else by weight; rows without the label come last. */
	struct sprof_group *items;
	size_t count, capacity;
	uint32_t *of_row; /* by row: its group */
	struct sprof_strtab *names;
};

/*
 * Fills *ret; the caller finishes it. A row that has the label several times is in the group of all
 * its values together. Fails if no row has the label, and says which labels there are.
 */
SPROF_MUST_USE bool sprof_groups_build(const struct sprof_profile *profile, const char *label,
	enum sprof_weight weight, struct sprof_groups *ret, struct sprof_error *err);

/* What rows are in, and frames are of, as names: the same name is the same pointer. */
struct sprof_grouping {
	const char **rows;  /* by row; NULL: the row is in no group that has a name */
	const char **lines; /* by line of a location; the pointer itself NULL: not of frames */
};

/*
 * Fills the groups of a grouping, sorted. The label and the names, if the groups shall own them, are
 * the caller's to set. False: no memory.
 */
SPROF_MUST_USE bool sprof_groups_fill(const struct sprof_profile *profile,
	const struct sprof_grouping *grouping, enum sprof_weight weight, struct sprof_groups *ret);

void sprof_groups_finish(struct sprof_groups *groups);

#endif
