/*
 * Paths and reading of /proc. Does not handle the formats of files, except names of folders and the
 * newline of comm.
 */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"

enum { READ_AT_ONCE = 64 * 1024 };

struct sprof_proc_path sprof_proc_path(pid_t pid, pid_t tid, const char *format, ...)
{
	struct sprof_proc_path path;
	size_t used;
	va_list args;

	if (pid == SPROF_PROC_SELF)
		used = (size_t)snprintf(path.text, sizeof(path.text), "/proc/self/");
	else if (tid)
		used = (size_t)snprintf(
			path.text, sizeof(path.text), "/proc/%d/task/%d/", pid, tid);
	else
		used = (size_t)snprintf(path.text, sizeof(path.text), "/proc/%d/", pid);
	va_start(args, format);
	vsnprintf(path.text + used, sizeof(path.text) - used, format, args);
	va_end(args);
	return path;
}

int sprof_proc_open(pid_t pid, pid_t tid, const char *name)
{
	return open(sprof_proc_path(pid, tid, "%s", name).text, O_RDONLY | O_CLOEXEC);
}

ssize_t sprof_proc_read(int fd, char *buffer, size_t size)
{
	ssize_t length = pread(fd, buffer, size - 1, 0);

	if (length >= 0)
		buffer[length] = '\0';
	return length;
}

ssize_t sprof_proc_read_path(const char *path, char *buffer, size_t size)
{
	SPROF_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -1 : sprof_proc_read(fd, buffer, size);
}

ssize_t sprof_proc_read_file(pid_t pid, pid_t tid, const char *name, char *buffer, size_t size)
{
	return sprof_proc_read_path(sprof_proc_path(pid, tid, "%s", name).text, buffer, size);
}

bool sprof_proc_read_comm(pid_t pid, char *buffer, size_t size)
{
	if (sprof_proc_read_file(pid, 0, "comm", buffer, size) <= 0)
		return false;
	buffer[strcspn(buffer, "\n")] = '\0';
	return true;
}

bool sprof_proc_read_link(const char *path, char *buffer, size_t size)
{
	ssize_t length = readlink(path, buffer, size - 1);

	if (length < 0)
		return false;
	buffer[length] = '\0';
	return true;
}

char *sprof_proc_read_whole(const char *path, size_t *ret_size)
{
	SPROF_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? NULL : sprof_proc_read_whole_open(fd, ret_size);
}

char *sprof_proc_read_whole_open(int fd, size_t *ret_size)
{
	char *text = NULL;
	size_t capacity = 0, size = 0;

	for (;;) {
		ssize_t got;

		if (!sprof_array_reserve(&text, &capacity, size + READ_AT_ONCE, 1)) {
			errno = ENOMEM;
			break;
		}
		got = pread(fd, text + size, capacity - size - 1, (off_t)size);
		if (got < 0)
			break;
		size += (size_t)got;
		text[size] = '\0';
		if (!got) {
			*ret_size = size;
			return text;
		}
	}
	free(text);
	return NULL;
}

DIR *sprof_proc_open_processes(void)
{
	return opendir("/proc");
}

DIR *sprof_proc_open_tasks(pid_t pid)
{
	return opendir(sprof_proc_path(pid, 0, "task").text);
}

pid_t sprof_proc_next_id(DIR *folder)
{
	const struct dirent *entry;

	while ((entry = readdir(folder))) {
		const pid_t id = (pid_t)atoi(entry->d_name);

		if (id > 0)
			return id;
	}
	return 0;
}
