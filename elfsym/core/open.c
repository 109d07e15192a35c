/*
 * Opens core files, and cores that come through a pipe: these are copied to an unnamed file, which
 * disappears with sprof. Does not decompress: the error names the command.
 */
#include "elfsym/core/core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular-file.h"

enum { BLOCK = 4096 };

/* The command that decompresses a file, with -dc; NULL: it isn't compressed, as far as is known. */
static const char *decompressor_of(int fd)
{
	static const struct {
		const char *command, *magic;
	} formats[] = {
		{"zstd", "\x28\xb5\x2f\xfd"},
		{"xz", "\xfd\x37zXZ"},
		{"lz4", "\x04\x22\x4d\x18"},
		{"gzip", "\x1f\x8b"},
		{"bzip2", "BZh"},
	};
	char begin[8];
	const ssize_t got = pread(fd, begin, sizeof(begin), 0);

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const size_t size = strlen(formats[i].magic);

		if (got >= (ssize_t)size && !memcmp(begin, formats[i].magic, size))
			return formats[i].command;
	}
	return NULL;
}

/* The path is empty for a stream. */
static bool open_plain(int fd, const char *path, const char *name, struct sprof_core **ret,
	struct sprof_error *err)
{
	const char *command = decompressor_of(fd);

	if (!command)
		return sprof_core_open_fd(fd, name, ret, err);
	close(fd);
	sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "%s is compressed with %s", name, command);
	return sprof_error_hint(
		err, "%s -dc%s%s | sprof dump --core -", command, path[0] ? " " : "", path);
}

bool sprof_core_open(const char *path, struct sprof_core **ret, struct sprof_error *err)
{
	int fd = sprof_regular_file_open(path, 0);

	if (fd < 0 && errno == ESTALE)
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "%s is not a file", path);
	if (fd < 0)
		return sprof_error_errno(err, errno, "open %s", path);
	return open_plain(fd, path, path, ret, err);
}

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

/* Up to a whole block; less only at the end. -1: errno says why. */
static ssize_t read_block(int fd, char block[BLOCK])
{
	size_t done = 0;

	while (done < BLOCK) {
		const ssize_t got = read(fd, block + done, BLOCK - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

/* Blocks of zeros become holes. False: errno says why. */
static bool copy(int from, int to)
{
	static const char zeros[BLOCK];
	char block[BLOCK];
	off_t at = 0;
	ssize_t size;

	while ((size = read_block(from, block)) > 0) {
		if (memcmp(block, zeros, (size_t)size) &&
			pwrite(to, block, (size_t)size, at) != size)
			return false;
		at += size;
	}
	return !size && !ftruncate(to, at);
}

bool sprof_core_open_stream(
	int fd, const char *name, struct sprof_core **ret, struct sprof_error *err)
{
	const char *folder = getenv("TMPDIR");
	struct stat status;
	int file;

	if (!fstat(fd, &status) && S_ISREG(status.st_mode)) {
		file = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		return file < 0 ? sprof_error_errno(err, errno, "open %s", name)
				: open_plain(file, "", name, ret, err);
	}
	folder = folder && folder[0] ? folder : "/var/tmp";
	file = open_nameless(folder);
	if (file >= 0 && copy(fd, file))
		return open_plain(file, "", name, ret, err);
	sprof_error_errno(err, errno, "copy %s to %s", name, folder);
	if (file >= 0)
		close(file);
	return false;
}
