/*
 * dpkg's lists: one text file per package with one path per line (dpkg(1), FILES). Tries the two
 * usual names of debug packages. Reading all lists takes tens of ms, so this is done only for
 * modules that a report complains about, likely packages first.
 */
#include "elfsym/debug-files/package.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"

enum { MAX_LIST = 64 * 1024 * 1024 };

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static char *read_list(int folder, const char *name, size_t *ret_size)
{
	SPROF_AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	struct stat status;
	ssize_t count;
	char *text;

	if (fd < 0 || fstat(fd, &status) < 0 || status.st_size > MAX_LIST)
		return NULL;
	text = malloc((size_t)status.st_size + 1);
	count = text ? read(fd, text, (size_t)status.st_size) : -1;
	if (count < 0) {
		free(text);
		return NULL;
	}
	*ret_size = (size_t)count;
	return text;
}

/* Whether a line is the path. On merged-usr systems the lists may lack the leading /usr. */
static bool lists_path(int folder, const char *name, const char *line, size_t length)
{
	size_t size = 0, without_usr = strncmp(line, "\n/usr/", 6) == 0 ? 4 : 0;
	SPROF_AUTO_FREE char *text = read_list(folder, name, &size);
	SPROF_AUTO_FREE char *moved = without_usr ? strdup(line + without_usr) : NULL;

	if (!text)
		return false;
	if (memmem(text, size, line, length))
		return true;
	if (!moved)
		return false;
	moved[0] = '\n';
	return memmem(text, size, moved, length - without_usr);
}

static size_t package_length(const char *list)
{
	const char *suffix = strrchr(list, '.');

	return suffix && strcmp(suffix, ".list") == 0 ? strcspn(list, ":") < (size_t)(suffix - list)
			? strcspn(list, ":")
			: (size_t)(suffix - list)
						      : 0;
}

/* The C library's debug package has a name that is older than the scheme. */
static bool write_name(const char *package, int length, char *ret, size_t size)
{
	bool is_libc = length == 5 && strncmp(package, "libc6", 5) == 0;
	int written = snprintf(ret, size, "%.*s-%s", length, package, is_libc ? "dbg" : "dbgsym");

	return written > 0 && (size_t)written < size;
}

/* A package mostly has the name of its main file, up to a version: libc6 has libc.so.6. */
static bool is_named_like(const char *package, const char *path)
{
	const char *file = strrchr(path, '/') + 1;

	return strncmp(package, file, strspn(file, LETTERS)) == 0;
}

/* In the lists of the packages that are `named_like` the file, or in those of all others. */
static bool search(DIR *lists, const char *path, bool named_like, char *ret, size_t size)
{
	SPROF_AUTO_FREE char *line = sprof_string_print("\n%s\n", path);
	const struct dirent *entry;

	if (!line)
		return false;
	rewinddir(lists);
	while ((entry = readdir(lists))) {
		const size_t name = package_length(entry->d_name);

		if (name && is_named_like(entry->d_name, path) == named_like &&
			lists_path(dirfd(lists), entry->d_name, line, strlen(line)))
			return write_name(entry->d_name, (int)name, ret, size);
	}
	return false;
}

bool sprof_package_of_debug_file(const char *folder, const char *path, char *ret, size_t size)
{
	DIR *lists;
	bool found;

	if (path[0] != '/')
		return false;
	lists = opendir(folder);
	if (!lists)
		return false;
	found = search(lists, path, true, ret, size) || search(lists, path, false, ret, size);
	closedir(lists);
	return found;
}

/* The value of a line NAME=value or NAME="value" of os-release(5). */
static bool read_release(FILE *file, const char *name, char *ret, size_t size)
{
	char line[256];

	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		size_t length = strlen(name);
		const char *value = line + length + 1;

		if (strncmp(line, name, length) != 0 || line[length] != '=')
			continue;
		value += value[0] == '"';
		snprintf(ret, size, "%.*s", (int)strcspn(value, "\"\n"), value);
		return ret[0];
	}
	return false;
}

bool sprof_package_archive(const char *release, const char *package, char *ret, size_t size)
{
	static const char suffix[] = "-dbgsym";
	SPROF_AUTO_FCLOSE FILE *file = fopen(release, "re");
	char system[32], codename[64];
	size_t length = strlen(package);

	if (length < sizeof(suffix) || strcmp(package + length - sizeof(suffix) + 1, suffix) != 0 ||
		!file || !read_release(file, "ID", system, sizeof(system)) ||
		!read_release(file, "VERSION_CODENAME", codename, sizeof(codename)))
		return false;
	if (strcmp(system, "debian") == 0)
		snprintf(ret, size, "deb http://deb.debian.org/debian-debug %s-debug main",
			codename);
	else if (strcmp(system, "ubuntu") == 0)
		snprintf(ret, size, "deb http://ddebs.ubuntu.com %s main universe", codename);
	else
		return false;
	return true;
}
