/*
 * Opens the file of a mapping in one of the ways that /proc offers, best first: map_files (the
 * mapped file itself, even if deleted, but privileged), /proc/PID/exe, the path in the process's
 * root folder, and the path.
 */
#include "attach/module/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/proc/memory.h"
#include "base/cleanup.h"
#include "base/proc.h"
#include "base/regular-file.h"
#include "base/strings.h"

enum { LARGEST_IMAGE = 1 << 20 }; /* a vDSO has a few pages */

/*
 * Whether the open file is the mapped one. Compares the inode only: on overlay and btrfs, maps and
 * stat show different devices.
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
	struct sprof_proc_path path =
		sprof_proc_path(pid, 0, "map_files/%" PRIx64 "-%" PRIx64, start, end);
	int fd = open_checked(path.text, module);

	if (fd < 0)
		fd = open_checked(sprof_proc_path(pid, 0, "exe").text, module);
	if (fd >= 0)
		return fd;
	rooted = sprof_string_print("%s%s", sprof_proc_path(pid, 0, "root").text, module->path);
	if (!rooted)
		return -1;
	fd = open_checked(rooted, module);
	if (fd >= 0 || module->open_errno != EACCES)
		return fd;
	/* We may not look at this process, not even at its root: try the file at the same path in
	 * ours. */
	return open_checked(module->path, module);
}

/* Whether a link of the process in /proc leads elsewhere than our own link. */
static bool differs(pid_t pid, const char *link)
{
	struct stat its, ours;

	return !stat(sprof_proc_path(pid, 0, "%s", link).text, &its) &&
		!stat(sprof_proc_path(SPROF_PROC_SELF, 0, "%s", link).text, &ours) &&
		(its.st_dev != ours.st_dev || its.st_ino != ours.st_ino);
}

/* Held open because names may be looked up after the process, and thus its /proc, is gone. */
static int open_root(pid_t pid)
{
	if (!differs(pid, "root") && !differs(pid, "ns/mnt"))
		return -1;
	return open(sprof_proc_path(pid, 0, "root").text, O_PATH | O_DIRECTORY | O_CLOEXEC);
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
