/*
 * What a path leads to is looked at before it is opened: opening a device may do something, and a
 * FIFO's writer would take us for its reader. Between the two nothing can be put in its place.
 */
#include "base/regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

int sprof_regular_file_open(const char *path, int flags)
{
	SPROF_AUTO_CLOSE int place = open(path, O_PATH | O_CLOEXEC | flags);
	struct stat status;
	char self[64];

	if (place < 0 || fstat(place, &status))
		return -1;
	if (!S_ISREG(status.st_mode)) {
		errno = ESTALE;
		return -1;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
	return open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

bool sprof_file_may_stay_open(int fd)
{
	return fd < sysconf(_SC_OPEN_MAX) / 10 * 9;
}
