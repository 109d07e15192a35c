/* Where threads ran and slept, by time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "profile/critical/graph.h"
#include "profile/critical/log.h"

struct sprof_critical_places {
	struct sprof_critical_sample *samples; /* by thread and time */
	size_t sample_count;
	struct sprof_critical_sleep *sleeps; /* by thread and begin */
	size_t sleep_count;
};

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_critical_places_build(
	const struct sprof_critical_log *log, struct sprof_critical_places *ret);
void sprof_critical_places_finish(struct sprof_critical_places *places);

/*
 * The stack of a running thread from a time on, and until when: that of its next sample, as far as
 * it has one; after the last sample, that of the last. SPROF_PROFILE_ROOT: it has no samples.
 */
uint32_t sprof_critical_stack_at(const struct sprof_critical_places *places, uint32_t thread,
	uint64_t time_ns, uint64_t *ret_until_ns);

/* The stack of a sleep; SPROF_PROFILE_ROOT: not known. */
uint32_t sprof_critical_stack_of_sleep(
	const struct sprof_critical_places *places, const struct sprof_critical_part *part);
