/*
 * File names with placeholders, for several sprofs that write at the same time.
 */
#ifndef SPROF_CMD_PLACEHOLDERS_H
#define SPROF_CMD_PLACEHOLDERS_H

#include <stdbool.h>

#include "base/error.h"

/*
 * Replaces %p (sprof's process id), %h (host), %r (rank), %t (seconds since 1970), %q{VARIABLE} and
 * %% in a path. *ret is valid as long as the program. Fails (kind USAGE) on an unknown placeholder,
 * on %r without a rank, and on a variable that is not set; and where every rank of a parallel job
 * would write the same file.
 */
bool sprof_placeholders_expand(const char *path, const char **ret, struct sprof_error *err);

#endif
