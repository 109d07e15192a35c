/*
 * Descriptors of another process. Knows how the kernel names what has no path (fs/proc/fd.c,
 * fs/anon_inodes.c, fs/eventpoll.c); which of them matter to anybody it doesn't know.
 */
#include "attach/descriptor.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/procfs.h"
#include "base/cleanup.h"

#define ANONYMOUS "anon_inode:"

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* The beginning and the end: what tells paths apart is at both. */
static void copy_text(char *to, size_t size, const char *from, size_t length)
{
	size_t head = (size - 4) / 2, tail = size - 4 - head;

	if (length < size) {
		memcpy(to, from, length);
		to[length] = '\0';
		return;
	}
	memcpy(to, from, head);
	memcpy(to + head, "...", 3);
	memcpy(to + head + 3, from + length - tail, tail + 1);
}

/* "anon_inode:[eventpoll]", "anon_inode:inotify", "anon_inode:[io_uring]" */
static void parse_anonymous(const char *name, struct sprof_descriptor *ret)
{
	size_t length;

	name += name[0] == '[';
	length = strcspn(name, "]");
	ret->kind = SPROF_DESCRIPTOR_ANONYMOUS;
	if (starts_with(name, "eventpoll"))
		ret->kind = SPROF_DESCRIPTOR_EPOLL;
	else if (starts_with(name, "pidfd"))
		ret->kind = SPROF_DESCRIPTOR_PIDFD;
	if (length >= sizeof(ret->text))
		length = sizeof(ret->text) - 1;
	memcpy(ret->text, name, length);
	ret->text[length] = '\0';
}

void sprof_descriptor_parse(const char *link, struct sprof_descriptor *ret)
{
	*ret = (struct sprof_descriptor){.kind = SPROF_DESCRIPTOR_FILE};
	if (starts_with(link, ANONYMOUS)) {
		parse_anonymous(link + strlen(ANONYMOUS), ret);
		return;
	}
	if (starts_with(link, "pipe:[")) {
		ret->kind = SPROF_DESCRIPTOR_PIPE;
		ret->inode = strtoull(link + strlen("pipe:["), NULL, 10);
	} else if (starts_with(link, "socket:[")) {
		ret->kind = SPROF_DESCRIPTOR_SOCKET;
		ret->inode = strtoull(link + strlen("socket:["), NULL, 10);
	}
	copy_text(ret->text, sizeof(ret->text), link, strlen(link));
}

static bool read_link(const char *path, char *buffer, size_t size)
{
	ssize_t length = readlink(path, buffer, size - 1);

	if (length < 0)
		return false;
	buffer[length] = '\0';
	return true;
}

bool sprof_descriptor_read(pid_t pid, int fd, struct sprof_descriptor *ret)
{
	char path[64], link[4096];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	if (!read_link(path, link, sizeof(link)))
		return false;
	sprof_descriptor_parse(link, ret);
	return true;
}

size_t sprof_descriptor_parse_watched(const char *fdinfo, int *ret_fds, size_t capacity)
{
	size_t count = 0;

	for (const char *line = fdinfo; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!starts_with(line, "tfd:"))
			continue;
		if (count < capacity)
			ret_fds[count] = (int)strtol(line + strlen("tfd:"), NULL, 10);
		count++;
	}
	return count;
}

ssize_t sprof_descriptor_read_info(pid_t pid, int fd, char *buffer, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	return sprof_proc_read_path(path, buffer, size);
}

/* The permissions of the link itself are how the descriptor was opened (fs/proc/fd.c,
 * tid_fd_update_inode). */
static bool is_open_for(int folder, const char *name, bool writes)
{
	struct stat status;

	return !fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) &&
	       status.st_mode & (writes ? S_IWUSR : S_IRUSR);
}

bool sprof_descriptor_find(pid_t pid, const char *link, bool writes, unsigned limit)
{
	const struct dirent *entry;
	char path[64], other[64];
	bool found = false;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	while (folder && !found && limit-- && (entry = readdir(folder))) {
		ssize_t length = readlinkat(dirfd(folder), entry->d_name, other, sizeof(other) - 1);

		if (length <= 0)
			continue;
		other[length] = '\0';
		found = !strcmp(other, link) && is_open_for(dirfd(folder), entry->d_name, writes);
	}
	if (folder)
		closedir(folder);
	return found;
}

bool sprof_descriptor_is_write_end(pid_t pid, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	return !is_open_for(AT_FDCWD, path, false);
}
