/*
 * Checks a path before opening it: opening a device may have side effects, and the writer of a FIFO
 * would take sprof for its reader. The file can't be replaced between check and open.
 */
#include "base/regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/proc.h"

int sprof_regular_file_open(const char *path, int flags)
{
	SPROF_AUTO_CLOSE int place = open(path, O_PATH | O_CLOEXEC | flags);
	struct stat status;

	if (place < 0 || fstat(place, &status))
		return -1;
	if (!S_ISREG(status.st_mode)) {
		errno = ESTALE;
		return -1;
	}
	return open(sprof_proc_path(SPROF_PROC_SELF, 0, "fd/%d", place).text,
		O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

bool sprof_file_may_stay_open(int fd)
{
	return fd < sysconf(_SC_OPEN_MAX) / 10 * 9;
}
