/* Where threads ran and slept, by time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "profile/critical/graph.h"
#include "profile/critical/log.h"

struct sprof_critical_places {
	const struct sprof_critical_graph *graph;
	uint64_t *ran_ns; /* by part: how long its thread has run before it */
	uint64_t far_ns;  /* running time from which on a sample says nothing */
	struct sprof_critical_sample *samples; /* by thread and time */
	size_t sample_count;
	struct sprof_critical_sleep *sleeps; /* by thread and begin */
	size_t sleep_count;
};

/* Refers to the graph. Returns false if out of memory; finish it in both cases. */
SPROF_MUST_USE bool sprof_critical_places_build(const struct sprof_critical_log *log,
	const struct sprof_critical_graph *graph, struct sprof_critical_places *ret);
void sprof_critical_places_finish(struct sprof_critical_places *places);

/*
 * The stack of a running thread from a time on, and until when: that of its next sample, as far as
 * it has one; after the last sample, that of the last. SPROF_PROFILE_ROOT: it has no sample near,
 * counted in its running time.
 */
uint32_t sprof_critical_stack_at(const struct sprof_critical_places *places, uint32_t thread,
	uint64_t time_ns, uint64_t *ret_until_ns);

/* The stack of a sleep; SPROF_PROFILE_ROOT: not known. */
uint32_t sprof_critical_stack_of_sleep(
	const struct sprof_critical_places *places, const struct sprof_critical_part *part);
