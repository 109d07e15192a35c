/*
 * Names for the profile's raw frames, after the target runs again.
 */
#ifndef SPROF_PROFILE_RESOLVE_H
#define SPROF_PROFILE_RESOLVE_H

#include <stdbool.h>

#include "base/error.h"
#include "elfsym/symbols.h"
#include "profile/profile.h"

/*
 * Names every location that has no name yet, each once; may be called again after more samples. The
 * views and formats need every location named. Strings are copied: the symbols may go afterwards.
 * False: no memory.
 */
bool sprof_profile_resolve(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err);

/* The part of it that is about waits; every location is named. */
bool sprof_profile_name_waits(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err);

#endif
