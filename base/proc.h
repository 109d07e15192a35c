/* All access to files of /proc: paths, and reading files whole or in part (proc(5)). */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"

enum {
	SPROF_COMM_MAX = 64, /* the kernel's comm has 16 bytes, kernel threads' up to 64 */
	SPROF_PROC_PATH_MAX = 96,
	SPROF_PROC_SELF = -1, /* instead of a pid: sprof itself */
};

struct sprof_proc_path {
	char text[SPROF_PROC_PATH_MAX];
};

/*
 * The path of a file of a process (tid 0) or a thread. The name is a format, for names that contain
 * a number: "fd/%d". Truncated if too long.
 */
struct sprof_proc_path sprof_proc_path(pid_t pid, pid_t tid, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Opens the file for reading. Returns the descriptor, or -1 with errno (ESRCH, ENOENT: the thread
 * is gone). */
SPROF_MUST_USE int sprof_proc_open(pid_t pid, pid_t tid, const char *name);

/*
 * Reads a small file from its start into a NUL-terminated buffer. Returns the length, or -1 with
 * errno (ESRCH, ENOENT: the thread is gone).
 */
SPROF_MUST_USE ssize_t sprof_proc_read(int fd, char *buffer, size_t size);
SPROF_MUST_USE ssize_t sprof_proc_read_path(const char *path, char *buffer, size_t size);
SPROF_MUST_USE ssize_t sprof_proc_read_file(
	pid_t pid, pid_t tid, const char *name, char *buffer, size_t size);

/* Reads the process's comm, without the newline. Returns false if it is gone. */
SPROF_MUST_USE bool sprof_proc_read_comm(pid_t pid, char *buffer, size_t size);

/*
 * Reads a link's target, truncated to the buffer. Returns false if there is no such link, or no
 * permission.
 */
SPROF_MUST_USE bool sprof_proc_read_link(const char *path, char *buffer, size_t size);

/*
 * Reads a whole file of any size, NUL-terminated. The caller frees it. Returns NULL with errno on
 * failure.
 */
SPROF_MUST_USE char *sprof_proc_read_whole(const char *path, size_t *ret_size);
/* The same for an open file, from its start. */
SPROF_MUST_USE char *sprof_proc_read_whole_open(int fd, size_t *ret_size);

/* All processes, to be closed with closedir(3). NULL: /proc can't be read. */
SPROF_MUST_USE DIR *sprof_proc_open_processes(void);
/* The threads of a process, to be closed with closedir(3). NULL: the process is gone. */
SPROF_MUST_USE DIR *sprof_proc_open_tasks(pid_t pid);
/* The next process or thread; 0: no more. */
SPROF_MUST_USE pid_t sprof_proc_next_id(DIR *folder);
