/*
 * What the modules' files say of themselves: build ids, and link-time addresses.
 */
#ifndef SPROF_PROFILE_IDENTIFY_H
#define SPROF_PROFILE_IDENTIFY_H

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

/*
 * Fills the module facts of all modules. Of a profile read from a file, the modules' files are
 * opened by their paths, and taken only if their build id is the one the profile has. A file that
 * can't be read, or is another one by now, is no error: then nothing is known. False: no memory.
 */
bool sprof_profile_identify(struct sprof_profile *profile, struct sprof_error *err);

#endif
