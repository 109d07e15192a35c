/* Wake-ups in a recording (--why): their source, and the log for the critical path. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/outputs.h"
#include "cmd/record/page-faults.h"
#include "cmd/record/tracing.h"
#include "events/source.h"
#include "events/wakeups/wakeups.h"
#include "profile/critical/log.h"
#include "profile/model/profile.h"

/* Zeroed: not wanted. */
struct sprof_why {
	struct sprof_critical_log log;
	struct sprof_wakeups *wakeups;
	struct sprof_event_source sources[SPROF_WAKEUPS_SOURCES];
};

/* Says so if none of the final outputs shows the path. */
void sprof_why_check_outputs(const struct sprof_outputs *outputs);
/* Returns false if the kernel does not permit it, or out of memory. */
SPROF_MUST_USE bool sprof_why_begin(struct sprof_why *why, const struct sprof_subject *subject,
	struct sprof_profile *profile, struct sprof_error *err);
/*
 * After the run: gives the log to the profile. `waited`: it has waited for all processes. Returns
 * false if out of memory.
 */
SPROF_MUST_USE bool sprof_why_settle(struct sprof_why *why, bool waited, struct sprof_error *err);
void sprof_why_finish(struct sprof_why *why);

/* All sources of single events in a recording, and NULL behind the last. */
enum { SPROF_WHY_EVENTS = 1 + SPROF_WAKEUPS_SOURCES + 1 };
/* Lists them in `list`, and returns it; NULL: there are none. */
const struct sprof_event_source *const *sprof_why_list(const struct sprof_why *why,
	const struct sprof_page_faults *faults,
	const struct sprof_event_source *list[SPROF_WHY_EVENTS]);
