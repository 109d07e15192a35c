/*
 * The frames of a stack, as lines for people or as JSON.
 */
#ifndef SPROF_CMD_FRAMES_H
#define SPROF_CMD_FRAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "output/json.h"
#include "output/out.h"
#include "profile/profile.h"

/*
 * One line for each function of a stack of the profile, whose locations are named, innermost first;
 * at most `max` of them (0: any number). False: no memory.
 */
SPROF_MUST_USE bool sprof_frames_write(const struct sprof_profile *profile, uint32_t stack,
	bool short_names, size_t max, struct sprof_out *out);
/* The names of all functions, as elements of an array. */
void sprof_frames_json(
	const struct sprof_profile *profile, uint32_t stack, struct sprof_json *json);

#endif
