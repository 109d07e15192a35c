/*
 * What a descriptor of another process refers to, from the link in /proc/PID/fd and the text of
 * /proc/PID/fdinfo (proc(5)). The parsers need no process.
 */
#ifndef SPROF_BLOCKED_DESCRIPTOR_H
#define SPROF_BLOCKED_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

enum sprof_descriptor_kind {
	SPROF_DESCRIPTOR_FILE, /* has a path: regular files, folders, devices, named pipes */
	SPROF_DESCRIPTOR_PIPE,
	SPROF_DESCRIPTOR_SOCKET,
	SPROF_DESCRIPTOR_EPOLL,
	SPROF_DESCRIPTOR_PIDFD,
	SPROF_DESCRIPTOR_ANONYMOUS, /* eventfd, timerfd, signalfd, inotify, io_uring, ... */
};

struct sprof_descriptor {
	enum sprof_descriptor_kind kind;
	uint64_t inode; /* of a pipe or socket */
	/* the path; "pipe:[4711]"; "eventfd"; a long path is shortened in the middle */
	char text[256];
};

void sprof_descriptor_parse(const char *link, struct sprof_descriptor *ret);

/*
 * Parses the descriptors watched by an epoll from its fdinfo. Stores up to `capacity` of them.
 * Returns their total number.
 */
size_t sprof_descriptor_parse_watched(const char *fdinfo, int *ret_fds, size_t capacity);

/* Returns false if there is no such descriptor, or it can't be read. */
SPROF_MUST_USE bool sprof_descriptor_read(pid_t pid, int fd, struct sprof_descriptor *ret);

/* Reads the text of /proc/PID/fdinfo/FD. Returns the length, or -1. */
SPROF_MUST_USE ssize_t sprof_descriptor_read_info(pid_t pid, int fd, char *buffer, size_t size);

/*
 * Whether the process has a descriptor for the pipe or socket with this link; `writes`: open for
 * writing, otherwise for reading. Examines at most `limit` descriptors.
 */
SPROF_MUST_USE bool sprof_descriptor_find(pid_t pid, const char *link, bool writes, unsigned limit);
/* Whether the descriptor is open for writing only, so that the other end reads. */
SPROF_MUST_USE bool sprof_descriptor_is_write_end(pid_t pid, int fd);

/*
 * Whether an io_uring has completed all requests that were submitted, by its fdinfo. False if the
 * kernel does not say.
 */
bool sprof_descriptor_is_ring_done(const char *fdinfo);

#endif
