/*
 * System calls in a profile, which can be saved, shown, compared and merged like any other.
 */
#ifndef SPROF_CMD_CALL_PROFILE_H
#define SPROF_CMD_CALL_PROFILE_H

#include "base/attributes.h"
#include "events/call-table.h"
#include "profile/profile.h"

/*
 * The profile gets the kinds "latency", "calls", "errors" and "longest"; before its first row.
 */
void sprof_call_profile_begin(struct sprof_profile *profile);

/*
 * One row for each call of each thread, from each stack. The profile's sink has heard of the threads
 * and stacks. False: no memory.
 */
SPROF_MUST_USE bool sprof_call_profile_add(
	struct sprof_profile *profile, const struct sprof_call_table *table);

#endif
