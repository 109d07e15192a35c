/* Resolves a profile's raw frames to names, after the target runs again. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/names/symbols.h"
#include "profile/model/profile.h"
#include "profile/model/program.h"

/*
 * Names every unnamed location, each once; may be called again after more samples. Views and
 * formats need named locations. Strings are copied, so the symbols may be freed afterwards. Returns
 * false if out of memory.
 */
SPROF_MUST_USE bool sprof_profile_resolve(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err);

/*
 * Inserts into new stacks the functions that made tail calls, where the chain is unambiguous.
 * Locations must be named. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_profile_insert_tail_calls(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err);

/* Appends a function to the last named location. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_profile_add_line(struct sprof_profile *profile,
	struct sprof_profile_location *location, const struct sprof_location *place,
	enum sprof_mark mark);

/* Names the waits only; locations must be named. */
SPROF_MUST_USE bool sprof_profile_name_waits(
	struct sprof_profile *profile, struct sprof_symbols *symbols, struct sprof_error *err);

struct sprof_module_called {
	char name[SPROF_PROGRAM_NAME];
};
/*
 * The module's name; if a process was started by a symbolic link to the module, the link's name,
 * from *called.
 */
const char *sprof_profile_module_called(
	const struct sprof_profile *profile, uint32_t module, struct sprof_module_called *called);

/* The offset of the futex word in its lock; 0 if that is not known. */
uint64_t sprof_profile_lock_distance(
	enum sprof_lock_kind kind, uint64_t address, const struct sprof_lock_traits *traits);
