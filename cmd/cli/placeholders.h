/* Placeholders in file names, for several sprof processes that write at the same time. */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "base/attributes.h"
#include "base/error.h"

/* Values that differ between the files of a recording. */
struct sprof_placeholders_moment {
	time_t time;     /* when the file's recording began */
	unsigned number; /* from 1 */
};

/* For the first file, now. */
struct sprof_placeholders_moment sprof_placeholders_now(void);

/*
 * Replaces %p (sprof's process id), %h (host), %r (rank), %t (seconds since 1970), %n (number of
 * the file), %q{VARIABLE} and %% in an option's path; messages name the option. *ret is never
 * freed. Fails (kind USAGE) on an unknown placeholder, on %r without a rank, on an unset variable,
 * and if all ranks of a parallel job would write the same file.
 */
bool sprof_placeholders_expand(const char *option, const char *path,
	const struct sprof_placeholders_moment *moment, const char **ret,
	struct sprof_error *err) SPROF_MUST_USE;

/* Whether the path differs from file to file. */
bool sprof_placeholders_change(const char *path);
