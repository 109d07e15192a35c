/*
 * What is the same function: the one answer for all of sprof. ARCHITECTURE.md, "Identity", says the
 * rule.
 */
#ifndef SPROF_PROFILE_IDENTITY_H
#define SPROF_PROFILE_IDENTITY_H

#include "base/hash.h"
#include "profile/profile.h"

/*
 * Within a profile, functions with the same key are one. The strings must be the profile's own. Its
 * line is no part of it, nor are detours in the file's path ("src/../inc/list.h").
 */
struct sprof_hash sprof_identity_key(const struct sprof_profile_function *function);

#endif
