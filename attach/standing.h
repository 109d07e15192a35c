/*
 * How long a thread has stood still in stops that pass on its signals and its program's events. The
 * kernel counts such time as neither CPU time nor run-queue time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/proc/procfs.h"

/* Zeroed: it was in no such stop. */
struct sprof_standing {
	uint64_t ns; /* so far, or since the owner took it */
	/* The last such stop: when the thread continued, and its figures then. */
	uint64_t resumed_ns;
	struct sprof_proc_schedstat figures;
};

/*
 * The thread is in such a stop, and is about to continue. `may_have_slept`: since it
 * continued from the last one. Then this one is not measured.
 */
void sprof_standing_add(struct sprof_standing *standing, uint64_t now_ns,
	const struct sprof_proc_schedstat *figures, bool may_have_slept);

/* What was added since the last time. */
static inline uint64_t sprof_standing_take(struct sprof_standing *standing)
{
	const uint64_t ns = standing->ns;

	standing->ns = 0;
	return ns;
}
