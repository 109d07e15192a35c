/*
 * What a descriptor of another process refers to, from the link in /proc/PID/fd and the text of
 * /proc/PID/fdinfo (proc(5)); needs no process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Parses the text of the link. */
void sprof_descriptor_parse(const char *link, struct sprof_descriptor *ret);

/*
 * Parses the descriptors watched by an epoll from its fdinfo. Stores up to `capacity` of them.
 * Returns their total number.
 */
size_t sprof_descriptor_parse_watched(const char *fdinfo, int *ret_fds, size_t capacity);

/*
 * Whether an io_uring has as many completions as requests, and none that waits for an event, by its
 * fdinfo. False if the kernel does not say. Requests with several completions (SEND_ZC) hide others.
 */
bool sprof_descriptor_is_ring_done(const char *fdinfo);
