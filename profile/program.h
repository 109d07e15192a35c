/* Distinguishes code of programs from code of libraries. */
#ifndef SPROF_PROFILE_PROGRAM_H
#define SPROF_PROFILE_PROGRAM_H

#include <stdbool.h>

#include "profile/profile.h"

/* Whether a location's file is a program: by its name, not a shared library. */
bool sprof_profile_is_of_program(
	const struct sprof_profile *profile, const struct sprof_profile_location *location);

#endif
