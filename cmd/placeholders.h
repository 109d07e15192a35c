/*
 * File names with placeholders, for several processes of sprof that write at the same time.
 */
#ifndef SPROF_CMD_PLACEHOLDERS_H
#define SPROF_CMD_PLACEHOLDERS_H

#include <stdbool.h>
#include <time.h>

#include "base/attributes.h"
#include "base/error.h"

/* Values that differ between the files of a recording. */
struct sprof_placeholders_moment {
	time_t time;     /* when its recording began */
	unsigned number; /* from 1 */
};

/* The first file, now. */
struct sprof_placeholders_moment sprof_placeholders_now(void);

/*
 * Replaces %p (sprof's process id), %h (host), %r (rank), %t (seconds since 1970), %n (the number
 * of the file), %q{VARIABLE} and %% in the path that an option has; messages name the option. *ret
 * is valid as long as the program. Fails (kind USAGE) on an unknown placeholder, on %r without a
 * rank, and on a variable that is not set; and where every rank of a parallel job would write the
 * same file.
 */
bool sprof_placeholders_expand(const char *option, const char *path,
	const struct sprof_placeholders_moment *moment, const char **ret,
	struct sprof_error *err) SPROF_MUST_USE;

/* Whether the path differs from file to file. */
bool sprof_placeholders_change(const char *path);

#endif
