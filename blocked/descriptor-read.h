/*
 * The descriptors of a process: /proc/PID/fd and /proc/PID/fdinfo.
 */
#pragma once

#include <sys/types.h>

#include "base/attributes.h"
#include "blocked/descriptor.h"

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
