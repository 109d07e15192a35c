/*
 * What a descriptor of another process refers to: the link in /proc/PID/fd and the text of
 * /proc/PID/fdinfo (proc(5)). The parsers take text.
 */
#ifndef SPROF_ATTACH_DESCRIPTOR_H
#define SPROF_ATTACH_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum sprof_descriptor_kind {
	SPROF_DESCRIPTOR_FILE, /* with a path: regular files, folders, devices, named pipes */
	SPROF_DESCRIPTOR_PIPE,
	SPROF_DESCRIPTOR_SOCKET,
	SPROF_DESCRIPTOR_EPOLL,
	SPROF_DESCRIPTOR_PIDFD,
	SPROF_DESCRIPTOR_ANONYMOUS, /* eventfd, timerfd, signalfd, inotify, io_uring, ... */
};

struct sprof_descriptor {
	enum sprof_descriptor_kind kind;
	uint64_t inode; /* of a pipe or socket */
	char text[256]; /* the path; "pipe:[4711]"; "eventfd"; a long one is cut in its middle */
};

/* From the text of the link. */
void sprof_descriptor_parse(const char *link, struct sprof_descriptor *ret);

/* False: there is no such descriptor, or it can't be read. */
bool sprof_descriptor_read(pid_t pid, int fd, struct sprof_descriptor *ret);

/*
 * The descriptors that an epoll watches, from its fdinfo: up to `capacity` of them are stored.
 * Returns how many there are.
 */
size_t sprof_descriptor_parse_watched(const char *fdinfo, int *ret_fds, size_t capacity);

/* The text of /proc/PID/fdinfo/FD; the length, or -1. */
ssize_t sprof_descriptor_read_info(pid_t pid, int fd, char *buffer, size_t size);

/*
 * Looks for a descriptor of the process that refers to the same pipe or socket: its link is `link`.
 * `writes`: it must be open for writing, else for reading. At most `limit` descriptors are looked
 * at.
 */
bool sprof_descriptor_find(pid_t pid, const char *link, bool writes, unsigned limit);
/* Whether the descriptor is open for writing only, so that its other end reads. */
bool sprof_descriptor_is_write_end(pid_t pid, int fd);

#endif
