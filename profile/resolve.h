/*
 * Names for the profile's raw frames, given after the target runs again.
 */
#ifndef SPROF_PROFILE_RESOLVE_H
#define SPROF_PROFILE_RESOLVE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/symbols.h"
#include "profile/profile.h"

/*
 * Names every unnamed location, each once; may be called again after more samples. Views and
 * formats need every location named. Strings are copied, so the symbols may be freed afterwards.
 * False: no memory.
 */
SPROF_MUST_USE bool sprof_profile_resolve(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err);

/* Names only the waits; every location must be named. */
SPROF_MUST_USE bool sprof_profile_name_waits(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err);

#endif
