/* Facts from the modules' files: build ids and link-time addresses. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/profile.h"

/*
 * Fills the module facts of all modules. For a profile read from a file, opens the modules by path
 * and uses them only if the build id matches. If a file can't be read or has changed, its facts
 * stay unknown. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_profile_identify(struct sprof_profile *profile, struct sprof_error *err);
