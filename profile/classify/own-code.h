/*
 * A program's own code: what its author wrote, in contrast to the standard library of its language,
 * an interpreter, the system's libraries and libc. Time is charged to functions of its own code.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/profile.h"

/*
 * The class of a function: by its module, by the directory of its source file, and, if that is
 * unknown, by its name. sprof_own_code_mark() stores it; it is computed otherwise.
 */
enum sprof_code_class sprof_code_of(const struct sprof_profile *profile, uint32_t function);

/* Whether it belongs to libc, to a library, or to a language's standard library. */
static inline bool sprof_profile_is_library(const struct sprof_profile *profile, uint32_t function)
{
	return sprof_code_of(profile, function) <= SPROF_CODE_LIBRARY;
}

/* The user's choice of own code, in place of what sprof finds. */
struct sprof_own_choice {
	/* matches the name, the source file or the module's path of own functions; NULL: none */
	const char *own;
	bool all; /* each function is its own */
};

/*
 * Classifies all functions. If a module has source files of its program, a function without a file
 * came from a linked library. Locations must be named. Fails if out of memory, and on an invalid
 * pattern (kind USAGE).
 */
SPROF_MUST_USE bool sprof_own_code_mark(struct sprof_profile *profile,
	const struct sprof_own_choice *choice, struct sprof_error *err);
