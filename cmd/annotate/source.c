/*
 * Source files for sprof annotate. Does not handle files above 64 MiB. Text may not be UTF-8:
 * sanitise lines when printing.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strings.h"
#include "cmd/annotate/annotate.h"

enum { MAX_BYTES = 64 << 20 };

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

/* The longest end of the path that is a file below the folder. -1: none; *ret_path is allocated. */
static int open_below(const char *folder, const char *path, char **ret_path)
{
	for (const char *end = path; end; end = strchr(end, '/')) {
		char *name;
		int fd;

		end += strspn(end, "/");
		name = *end ? sprof_string_print("%s/%s", folder, end) : NULL;
		if (!name)
			return -1;
		fd = open_file(name);
		if (fd >= 0) {
			*ret_path = name;
			return fd;
		}
		free(name);
	}
	return -1;
}

static bool split(struct sprof_source *source)
{
	size_t count = 1;
	char *rest = source->text;

	for (const char *at = rest; (at = strchr(at, '\n')); at++)
		count++;
	source->lines = calloc(count, sizeof(*source->lines));
	if (!source->lines)
		return false;
	while (rest && source->count < count) {
		char *line = strsep(&rest, "\n");

		line[strcspn(line, "\r")] = '\0';
		source->lines[source->count++] = line;
	}
	return true;
}

/* A file that can't be read whole counts as not found. */
static bool read_text(int fd, const struct sprof_profile *profile, struct sprof_source *source)
{
	struct stat status;
	size_t got = 0;
	ssize_t more = 1;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size > MAX_BYTES)
		return true;
	source->text = malloc((size_t)status.st_size + 1);
	if (!source->text)
		return false;
	while (got < (size_t)status.st_size && more > 0) {
		more = read(fd, source->text + got, (size_t)status.st_size - got);
		got += more > 0 ? (size_t)more : 0;
	}
	source->text[got] = '\0';
	source->is_newer = profile->start_realtime_ns &&
		(uint64_t)status.st_mtim.tv_sec > profile->start_realtime_ns / SPROF_NS_PER_S;
	return split(source);
}

bool sprof_source_read(const struct sprof_profile *profile, const char *folder, const char *path,
	struct sprof_source *ret, struct sprof_error *err)
{
	SPROF_AUTO_CLOSE int fd = -1;

	*ret = (struct sprof_source){0};
	if (!path)
		return true;
	if (folder)
		fd = open_below(folder, path, &ret->path);
	if (fd < 0 && path[0] == '/') {
		fd = open_file(path);
		ret->path = fd < 0 ? NULL : strdup(path);
	}
	if (fd < 0)
		return true;
	if (ret->path && read_text(fd, profile, ret)) {
		if (!ret->text)
			sprof_source_finish(ret);
		return true;
	}
	sprof_source_finish(ret);
	return sprof_error_no_memory(err);
}
