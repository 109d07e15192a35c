/*
 * Names for a profile that was saved without them.
 */
#ifndef SPROF_PROFILE_RENAME_H
#define SPROF_PROFILE_RENAME_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/saved.h"
#include "elfsym/symbols.h"
#include "profile/profile.h"

/*
 * What the profile knows of its modules, for sprof_symbols_create(). The strings are the profile's;
 * the caller finishes *ret. False: no memory.
 */
SPROF_MUST_USE bool sprof_profile_saved_modules(
	const struct sprof_profile *profile, struct sprof_saved_modules *ret);
void sprof_saved_modules_finish(struct sprof_saved_modules *saved);

/*
 * Replaces names that are made of module and offset, and names without a source line where DWARF or
 * a list of symbols knows better. Other names stay. Explains the modules that still lack names.
 * Replaces *profile by a copy, without what nothing refers to any more. False: no memory; *profile
 * is still the caller's.
 */
SPROF_MUST_USE bool sprof_profile_rename(
	struct sprof_profile **profile, struct sprof_symbols *symbols, struct sprof_error *err);

#endif
