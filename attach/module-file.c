/*
 * From a mapping to its file. Knows the ways /proc offers, best first: map_files (the very file, even
 * when deleted, but privileged), the path inside the process's own root, /proc/PID/exe, and the path. Refuses to
 * know what an ELF file is.
 */
#include "attach/module-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/memory.h"
#include "base/cleanup.h"
#include "base/regular-file.h"

enum { LARGEST_IMAGE = 1 << 20 }; /* a vDSO has a few pages */

/*
 * Whether the open file is the mapped one. The inode decides: on overlay and btrfs the device in maps
 * is not the one that stat shows.
 */
static bool is_mapped_file(int fd, const struct sprof_module *module)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_ino == module->inode;
}

static int open_checked(const char *path, struct sprof_module *module)
{
	int fd = sprof_regular_file_open(path, 0);

	if (fd < 0) {
		module->open_errno = errno;
		return -1;
	}
	if (is_mapped_file(fd, module) && sprof_file_may_stay_open(fd))
		return fd;
	module->open_errno = sprof_file_may_stay_open(fd) ? ESTALE : EMFILE;
	close(fd);
	return -1;
}

static int open_file(struct sprof_module *module, pid_t pid, uint64_t start, uint64_t end)
{
	SPROF_AUTO_FREE char *rooted = NULL;
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
	fd = open_checked(path, module);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = open_checked(path, module);
	if (fd >= 0)
		return fd;
	if (asprintf(&rooted, "/proc/%d/root%s", pid, module->path) < 0) {
		rooted = NULL;
		return -1;
	}
	fd = open_checked(rooted, module);
	if (fd >= 0 || module->open_errno != EACCES)
		return fd;
	/* A process that doesn't let us look at it, not even at its root: ours, if the file is there too. */
	return open_checked(module->path, module);
}

/* Whether a link of the process in /proc leads somewhere else than ours. */
static bool differs(pid_t pid, const char *link)
{
	struct stat its, ours;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, link);
	if (stat(path, &its) < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/self/%s", link);
	return stat(path, &ours) == 0 && (its.st_dev != ours.st_dev || its.st_ino != ours.st_ino);
}

/* Held open, because names are looked up when the process may be gone, and its /proc with it. */
static int open_root(pid_t pid)
{
	char path[64];

	if (!differs(pid, "root") && !differs(pid, "ns/mnt"))
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void read_image(struct sprof_module *module, pid_t pid, uint64_t start, uint64_t end)
{
	size_t size = end - start;

	if (size > LARGEST_IMAGE)
		return;
	module->image = malloc(size);
	if (module->image)
		module->image_size = sprof_memory_read(pid, start, module->image, size);
}

void sprof_module_file_open(struct sprof_module *module, pid_t pid, uint64_t start, uint64_t end)
{
	if (module->kind == SPROF_MODULE_MEMORY)
		read_image(module, pid, start, end);
	else if (module->kind == SPROF_MODULE_FILE)
		module->fd = open_file(module, pid, start, end);
	if (module->fd < 0)
		return;
	sprof_file_stamp_take(&module->stamp, module->fd);
	module->open_errno = 0;
	module->root_fd = open_root(pid);
}
