/* Whether code belongs to a program or to a library; a program's name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "profile/model/profile.h"

/* Whether a location's file is a program: by its name, not a shared library. */
bool sprof_profile_is_of_program(
	const struct sprof_profile *profile, const struct sprof_profile_location *location);

enum { SPROF_PROGRAM_NAME = 32 /* room for a program's name */ };

/*
 * The name of a program from its command line: without folder and arguments; truncated; not
 * sanitised. "/usr/lib/gcc/cc1 -quiet" -> "cc1", "postgres: writer" -> "postgres", "-bash" ->
 * "bash".
 */
void sprof_program_name(const char *command, char *name, size_t size);
