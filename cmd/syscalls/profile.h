/* System calls as a profile, which can be saved, reported, compared and merged like any other. */
#pragma once

#include "base/attributes.h"
#include "cmd/cli/command.h"
#include "events/syscalls/table.h"
#include "profile/model/profile.h"

/* --weight with these kinds; a group at the offset of a struct sprof_report_options. */
extern const struct sprof_option sprof_call_profile_weight_table[];

/* Adds the kinds "latency", "calls", "errors" and "longest"; call it before the first row. */
void sprof_call_profile_begin(struct sprof_profile *profile);

/*
 * Adds one row per call, thread and stack. The profile's sink must know the threads and stacks.
 * Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_call_profile_add(
	struct sprof_profile *profile, const struct sprof_call_table *table);
