/* Private to output/: the summary as data. */
#pragma once

#include "base/attributes.h"
#include "base/error.h"
#include "output/format.h"
#include "output/json.h"

/* Writes the member, preceded by a comma. Writes nothing for a profile without time. */
SPROF_MUST_USE bool sprof_json_answer(struct sprof_json *json, const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_error *err);
