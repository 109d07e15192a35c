/*
 * Opens core files, also compressed ones, as from systemd-coredump: they are decompressed into an
 * unnamed file. For formats without a library in this build, the message names the command.
 */
#include "elfsym/core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular-file.h"
#include "elfsym/unpack.h"

/* -1: errno says why. */
static int open_nameless(const char *folder)
{
	char path[4096];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);

	/* Not every file system supports O_TMPFILE (open(2)). */
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	snprintf(path, sizeof(path), "%s/sprof-core-XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* The decompressed copy of a file; -1: *err says why. */
static int unpack(
	int fd, const struct sprof_unpacker *packing, const char *path, struct sprof_error *err)
{
	const char *folder = getenv("TMPDIR");
	int copy;

	if (!packing->begin) {
		sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "%s is compressed with %s", path,
			packing->name);
		sprof_error_hint(
			err, "%s -dc %s > core; sprof dump --core core", packing->name, path);
		return -1;
	}
	folder = folder && folder[0] ? folder : "/var/tmp";
	copy = open_nameless(folder);
	if (copy >= 0 && sprof_unpack(packing, fd, copy))
		return copy;
	sprof_error_errno(err, errno, "decompress %s in %s", path, folder);
	if (copy >= 0)
		close(copy);
	return -1;
}

bool sprof_core_open(const char *path, struct sprof_core **ret, struct sprof_error *err)
{
	int fd = sprof_regular_file_open(path, 0), packed = fd;
	const struct sprof_unpacker *packing;

	if (fd < 0 && errno == ESTALE)
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "%s is not a file", path);
	if (fd < 0)
		return sprof_error_errno(err, errno, "open %s", path);
	packing = sprof_unpacker_find(fd);
	if (packing) {
		fd = unpack(packed, packing, path, err);
		close(packed);
	}
	return fd >= 0 && sprof_core_open_fd(fd, path, ret, err);
}
