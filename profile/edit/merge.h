/* Merges several profiles into one. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/identity/identity.h"
#include "profile/model/profile.h"

/*
 * Adds all of `source` to `target`, which is empty (sprof_build_create()) or a result of earlier
 * merges. Threads are the same if process, ids, name, host and rank are equal. Fails if the
 * profiles count different things.
 */
SPROF_MUST_USE bool sprof_profile_merge(
	struct sprof_profile *target, const struct sprof_profile *source, struct sprof_error *err);

/* The same; `how` selects how functions are matched. */
SPROF_MUST_USE bool sprof_profile_add(struct sprof_profile *target,
	const struct sprof_profile *source, enum sprof_identity_how how, struct sprof_error *err);
