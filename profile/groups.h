/*
 * The rows of a profile, put together by what a label of theirs says: the ranks of a job, the tenants
 * of a service, whatever a tool or sprof itself has labelled samples with.
 */
#ifndef SPROF_PROFILE_GROUPS_H
#define SPROF_PROFILE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strtab.h"
#include "profile/profile.h"

struct sprof_group {
	const char *name; /* NULL: the rows that have no such label */
	const char *host; /* of all its rows; NULL: of several, or not known */
	struct sprof_metrics sum;
	uint32_t threads; /* that have rows in it */
};

struct sprof_groups {
	const char *label;
	/* By number where all names are numbers, else by weight; what has no label comes last. */
	struct sprof_group *items;
	size_t count, capacity;
	uint32_t *of_row; /* by row: its group */
	struct sprof_strtab *names;
};

/*
 * Fills *ret, to be finished. A row that has the label several times is in the group of all its values
 * together. Fails where no row has it, and says which labels there are.
 */
bool sprof_groups_build(const struct sprof_profile *profile, const char *label,
	enum sprof_weight weight, struct sprof_groups *ret, struct sprof_error *err);
void sprof_groups_finish(struct sprof_groups *groups);

#endif
