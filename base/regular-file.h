/* Opens files whose path comes from others. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"

/*
 * Opens a regular file for reading. Returns -1 with errno; ESTALE: not a regular file, so not
 * opened. `flags`: further flags of open(2), such as O_NOFOLLOW.
 */
SPROF_MUST_USE int sprof_regular_file_open(const char *path, int flags);

/*
 * Whether an optional descriptor may be kept open. The last tenth of the descriptors is reserved
 * for short-lived files and pipes.
 */
bool sprof_file_may_stay_open(int fd);
