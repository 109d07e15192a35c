/* Resolves names of a profile that was saved without them. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/debug-files/saved.h"
#include "elfsym/names/symbols.h"
#include "profile/model/profile.h"

/*
 * Known facts about the modules, for sprof_symbols_create(). The profile owns strings and segments;
 * the caller finishes *ret. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_profile_saved_modules(
	const struct sprof_profile *profile, struct sprof_saved_modules *ret);
void sprof_saved_modules_finish(struct sprof_saved_modules *saved);

/*
 * Replaces names made of module and offset, and names without a source line for which DWARF or a
 * symbol table has a better one. Other names stay. Explains the modules that are still unresolved.
 * Replaces *profile by a copy without unreferenced entries. Returns false if out of memory; the
 * caller then still owns *profile.
 */
SPROF_MUST_USE bool sprof_profile_rename(
	struct sprof_profile **profile, struct sprof_symbols *symbols, struct sprof_error *err);
