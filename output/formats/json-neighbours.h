/*
 * Private to output/: the direct callers and callees of functions, as members of the JSON object.
 */
#pragma once

#include "output/format.h"
#include "output/json.h"

/* Writes the requested members, each after a comma. */
SPROF_MUST_USE bool sprof_json_neighbours(struct sprof_json *json,
	const struct sprof_profile *profile, const struct sprof_output_options *options,
	struct sprof_error *err);
