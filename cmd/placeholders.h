/*
 * File names with placeholders, for several sprofs that write at the same time.
 */
#ifndef SPROF_CMD_PLACEHOLDERS_H
#define SPROF_CMD_PLACEHOLDERS_H

#include <stdbool.h>
#include <time.h>

#include "base/error.h"

/* What differs from one file of a recording to the next. */
struct sprof_placeholders_moment {
	time_t time;     /* when the recording of it began */
	unsigned number; /* from 1 */
};

/* The first file, now. */
struct sprof_placeholders_moment sprof_placeholders_now(void);

/*
 * Replaces %p (sprof's process id), %h (host), %r (rank), %t (seconds since 1970), %n (the number of
 * the file), %q{VARIABLE} and %% in a path. *ret is valid as long as the program. Fails (kind USAGE)
 * on an unknown placeholder, on %r without a rank, and on a variable that is not set; and where every
 * rank of a parallel job would write the same file.
 */
bool sprof_placeholders_expand(const char *path, const struct sprof_placeholders_moment *moment,
	const char **ret, struct sprof_error *err);

/* The same for the path that an option has; the message says so. */
bool sprof_placeholders_expand_option(const char *option, const char *path,
	const struct sprof_placeholders_moment *moment, const char **ret, struct sprof_error *err);

/* Whether the path is another one at every moment. */
bool sprof_placeholders_change(const char *path);

#endif
