/* The order in which profiles are merged and joined, whatever the order they are given in. */
#ifndef SPROF_PROFILE_EDIT_RUN_ORDER_H
#define SPROF_PROFILE_EDIT_RUN_ORDER_H

#include <stdint.h>

#include "profile/model/profile.h"

/* What orders most profiles. */
struct sprof_run_key {
	uint64_t start_realtime_ns;
	const char *command; /* NULL: unknown */
};

int sprof_run_order_keys(const struct sprof_run_key *one, const struct sprof_run_key *other);

/*
 * By their keys, then by contents: the earlier one is less. 0: they have the same functions, modules,
 * threads, stacks and rows.
 */
int sprof_run_order(const struct sprof_profile *one, const struct sprof_profile *other);

#endif
