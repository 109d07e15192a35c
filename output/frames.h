/* The frames of a stack as text lines or JSON. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "output/briefs.h"
#include "output/json.h"
#include "output/out.h"
#include "profile/model/profile.h"

/*
 * Writes one line per function of a stack, innermost first; at most `max` (0: no limit). Locations
 * must be named. Short names if there are briefs. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_frames_write(const struct sprof_profile *profile, uint32_t stack,
	const struct sprof_briefs *briefs, size_t max, struct sprof_out *out);
/* Writes the names of all functions as elements of an array. */
void sprof_frames_json(
	const struct sprof_profile *profile, uint32_t stack, struct sprof_json *json);
