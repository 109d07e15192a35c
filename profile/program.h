/*
 * Which code is a program's own, and which is of a library.
 */
#ifndef SPROF_PROFILE_PROGRAM_H
#define SPROF_PROFILE_PROGRAM_H

#include <stdbool.h>

#include "profile/profile.h"

/* Whether a location is code of a file that is no shared library by its name. */
bool sprof_profile_is_of_program(
	const struct sprof_profile *profile, const struct sprof_profile_location *location);

#endif
