/*
 * What the modules' files say of themselves: build ids, and link-time addresses.
 */
#ifndef SPROF_PROFILE_IDENTIFY_H
#define SPROF_PROFILE_IDENTIFY_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/profile.h"

/*
 * Fills the module facts of all modules. For a profile read from a file, the modules' files are
 * opened by path, and used only if their build id is the profile's. A file that can't be read, or
 * has changed, is no error: its facts stay unknown. False: no memory.
 */
SPROF_MUST_USE bool sprof_profile_identify(struct sprof_profile *profile, struct sprof_error *err);

#endif
