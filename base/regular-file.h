/*
 * Opening a file that somebody else has named.
 */
#ifndef SPROF_BASE_REGULAR_FILE_H
#define SPROF_BASE_REGULAR_FILE_H

#include <stdbool.h>

#include "base/attributes.h"

/*
 * Opens a regular file for reading. -1: errno says why; ESTALE: not a regular file, and not opened.
 * `flags` are further flags of open(2), such as O_NOFOLLOW.
 */
SPROF_MUST_USE int sprof_regular_file_open(const char *path, int flags);

/*
 * Whether a file may be kept open although it could be reopened or done without. The last tenth of
 * the descriptors is reserved for files and pipes opened in between.
 */
bool sprof_file_may_stay_open(int fd);

#endif
