/*
 * Parses descriptors: how the kernel names files without a path (fs/proc/fd.c, fs/anon_inodes.c,
 * fs/eventpoll.c, io_uring/fdinfo.c). descriptor-read.c reads them.
 */
#include "blocked/descriptor.h"

#include <stdlib.h>
#include <string.h>

#include "base/proc-status.h"
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

bool sprof_descriptor_is_ring_done(const char *fdinfo)
{
	static const char list[] = "\nPollList:\n", entry[] = "  op=";
	const char *polls = strstr(fdinfo, list);
	long submitted, completed;

	return polls && !sprof_string_starts_with(polls + strlen(list), entry) &&
		sprof_proc_status_number(fdinfo, "CachedSqHead", &submitted) &&
		sprof_proc_status_number(fdinfo, "CachedCqTail", &completed) &&
		submitted == completed;
}
