/*
 * Reads, searches and parses descriptors: how the kernel names files without a path (fs/proc/fd.c,
 * fs/anon_inodes.c, fs/eventpoll.c, io_uring/fdinfo.c).
 */
#include "blocked/descriptor.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc-status.h"
#include "base/proc.h"
#include "base/strings.h"

#define ANONYMOUS "anon_inode:"

/* Keeps the start and the end of a long path: paths differ at both. */
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
	if (sprof_string_starts_with(name, "eventpoll"))
		ret->kind = SPROF_DESCRIPTOR_EPOLL;
	else if (sprof_string_starts_with(name, "pidfd"))
		ret->kind = SPROF_DESCRIPTOR_PIDFD;
	if (length >= sizeof(ret->text))
		length = sizeof(ret->text) - 1;
	memcpy(ret->text, name, length);
	ret->text[length] = '\0';
}

void sprof_descriptor_parse(const char *link, struct sprof_descriptor *ret)
{
	*ret = (struct sprof_descriptor){.kind = SPROF_DESCRIPTOR_FILE};
	if (sprof_string_starts_with(link, ANONYMOUS)) {
		parse_anonymous(link + strlen(ANONYMOUS), ret);
		return;
	}
	if (sprof_string_starts_with(link, "pipe:[")) {
		ret->kind = SPROF_DESCRIPTOR_PIPE;
		ret->inode = strtoull(link + strlen("pipe:["), NULL, 10);
	} else if (sprof_string_starts_with(link, "socket:[")) {
		ret->kind = SPROF_DESCRIPTOR_SOCKET;
		ret->inode = strtoull(link + strlen("socket:["), NULL, 10);
	}
	copy_text(ret->text, sizeof(ret->text), link, strlen(link));
}

size_t sprof_descriptor_parse_watched(const char *fdinfo, int *ret_fds, size_t capacity)
{
	size_t count = 0;

	for (const char *line = fdinfo; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!sprof_string_starts_with(line, "tfd:"))
			continue;
		if (count < capacity)
			ret_fds[count] = (int)strtol(line + strlen("tfd:"), NULL, 10);
		count++;
	}
	return count;
}

bool sprof_descriptor_read(pid_t pid, int fd, struct sprof_descriptor *ret)
{
	char link[4096];

	if (!sprof_proc_read_link(sprof_proc_path(pid, 0, "fd/%d", fd).text, link, sizeof(link)))
		return false;
	sprof_descriptor_parse(link, ret);
	return true;
}

ssize_t sprof_descriptor_read_info(pid_t pid, int fd, char *buffer, size_t size)
{
	return sprof_proc_read_path(sprof_proc_path(pid, 0, "fdinfo/%d", fd).text, buffer, size);
}

/* The link's permissions show how the descriptor was opened (fs/proc/fd.c, tid_fd_update_inode). */
static bool is_open_for(int folder, const char *name, bool writes)
{
	struct stat status;

	return !fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) &&
		status.st_mode & (writes ? S_IWUSR : S_IRUSR);
}

bool sprof_descriptor_find(pid_t pid, const char *link, bool writes, unsigned limit)
{
	DIR *folder = opendir(sprof_proc_path(pid, 0, "fd").text);
	const struct dirent *entry;
	char other[64];
	bool found = false;

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
	return !is_open_for(AT_FDCWD, sprof_proc_path(pid, 0, "fd/%d", fd).text, false);
}

bool sprof_descriptor_is_ring_done(const char *fdinfo)
{
	long submitted, completed;

	return sprof_proc_status_number(fdinfo, "CachedSqHead", &submitted) &&
		sprof_proc_status_number(fdinfo, "CachedCqTail", &completed) &&
		submitted == completed;
}
