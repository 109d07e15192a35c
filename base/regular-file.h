/*
 * Opening a file that somebody else has named.
 */
#ifndef SPROF_BASE_REGULAR_FILE_H
#define SPROF_BASE_REGULAR_FILE_H

#include <stdbool.h>

/*
 * Opens a regular file for reading. -1: errno says why; ESTALE: it is none, and has not been opened.
 * `flags` are further ones of open(2), such as O_NOFOLLOW.
 */
int sprof_regular_file_open(const char *path, int flags);

/*
 * Whether a file may be kept open that could be opened again, or done without: the last tenth of the
 * descriptors is left to whoever opens files and pipes in between.
 */
bool sprof_file_may_stay_open(int fd);

#endif
