/* Private to output/: the critical path as data. */
#pragma once

#include "base/attributes.h"
#include "base/error.h"
#include "output/json.h"
#include "profile/model/profile.h"

/* Writes the member, preceded by a comma. Writes nothing for a profile without wake-ups. */
SPROF_MUST_USE bool sprof_json_critical(
	struct sprof_json *json, const struct sprof_profile *profile, struct sprof_error *err);
