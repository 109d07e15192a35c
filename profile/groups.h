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
	const char *name; /* NULL: the rows without the label */
	const char *host; /* of all its rows; NULL: they differ, or it is not known */
	struct sprof_metrics sum;
	uint32_t threads; /* with rows in it */
};

struct sprof_groups {
	const char *label;
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
void sprof_groups_finish(struct sprof_groups *groups);

#endif
