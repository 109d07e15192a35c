/*
 * The order in which profiles are merged and joined. What an earlier profile has decides which
 * functions of a later one are the same, so the result must not depend on the order of the words on
 * a command line.
 */
#pragma once

#include <stdint.h>

#include "profile/model/profile.h"

struct sprof_run_key {
	uint64_t start_realtime_ns;
	uint32_t checksum; /* orders runs without a start */
};

static inline struct sprof_run_key sprof_run_key_of(const struct sprof_profile *profile)
{
	return (struct sprof_run_key){profile->start_realtime_ns, profile->checksum};
}

/* The earlier run is less. 0: their files have the same content. */
static inline int sprof_run_order(
	const struct sprof_run_key *one, const struct sprof_run_key *other)
{
	if (one->start_realtime_ns != other->start_realtime_ns)
		return one->start_realtime_ns < other->start_realtime_ns ? -1 : 1;
	return (one->checksum > other->checksum) - (one->checksum < other->checksum);
}
