/*
 * Page fault records taken out of their rings but not yet unwound. Copying a record is ten times
 * faster than unwinding its stack, so the rings drain faster during a burst.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "events/perf/record.h"
#include "events/perf/registers.h"

/* Zeroed is empty and valid. */
struct sprof_fault_stash {
	unsigned char *bytes;
	size_t used, capacity;
	size_t first; /* offset of the oldest record */
};

/* One record, without raw bytes; its stack points into the stash. */
struct sprof_fault_kept {
	struct sprof_perf_record record;
	struct sprof_perf_user user;
};

/* Copies the record and its stack. Returns false if there is no room. */
SPROF_MUST_USE bool sprof_fault_stash_put(
	struct sprof_fault_stash *stash, const struct sprof_fault_kept *kept);
/* Takes the oldest record; its stack is valid until the next put. Returns false if empty. */
SPROF_MUST_USE bool sprof_fault_stash_take(
	struct sprof_fault_stash *stash, struct sprof_fault_kept *ret);
void sprof_fault_stash_finish(struct sprof_fault_stash *stash);
