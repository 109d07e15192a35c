/*
 * Reads lists of symbols from files, including those of /proc. symlist.c parses their text.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "elfsym/symlist/symlist.h"

enum {
	CHUNK = 256 * 1024,
	MAX_TEXT = 256 * 1024 * 1024, /* the largest perf maps seen have 100 MB */
};

/* Reads to the end: stat gives size 0 for files of /proc. */
static bool read_all(
	int fd, const char *name, char **ret_text, size_t *ret_size, struct sprof_error *err)
{
	size_t size = 0, capacity = 0;
	char *text = NULL;
	ssize_t count = 1;

	while (count > 0 && size < MAX_TEXT) {
		if (!sprof_array_reserve(&text, &capacity, size + CHUNK, 1)) {
			free(text);
			return sprof_error_no_memory(err);
		}
		count = pread(fd, text + size, CHUNK, (off_t)size);
		size += count > 0 ? (size_t)count : 0;
	}
	if (count < 0) {
		free(text);
		return sprof_error_errno(err, errno, "read %s", name);
	}
	*ret_text = text;
	*ret_size = size;
	return true;
}

bool sprof_symlist_read(enum sprof_symlist_format format, int fd, const char *name,
	struct sprof_symlist **ret, struct sprof_error *err)
{
	char *text = NULL;
	size_t size = 0;

	return read_all(fd, name, &text, &size, err) &&
		sprof_symlist_create(format, text, size, ret, err);
}

bool sprof_symlist_open(enum sprof_symlist_format format, const char *path,
	struct sprof_symlist **ret, struct sprof_error *err)
{
	SPROF_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return sprof_error_errno(err, errno, "open %s", path);
	return sprof_symlist_read(format, fd, path, ret, err);
}
