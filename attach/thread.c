/*
 * A thread and its files in /proc. The files stay open, because opening one costs four times as much as
 * reading it; where descriptors are short it is opened for each read instead.
 */
#include "attach/thread.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/regular-file.h"

void sprof_process_forget_maps(struct sprof_process *process)
{
	sprof_maps_finish(&process->maps);
	process->maps_read_ns = 0;
	process->maps_read_in_vain = false;
	if (process->maps_file >= 0)
		close(process->maps_file);
	process->maps_file = -1;
}

struct sprof_thread *sprof_thread_create(uint32_t id, pid_t tid, struct sprof_process *process)
{
	struct sprof_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->id = id;
	thread->tid = tid;
	thread->process = process;
	for (unsigned i = 0; i < SPROF_THREAD_FILES; i++)
		thread->files[i] = -1;
	return thread;
}

void sprof_thread_destroy(struct sprof_thread *thread)
{
	if (!thread)
		return;
	sprof_thread_close_files(thread);
	free(thread);
}

void sprof_thread_close_files(struct sprof_thread *thread)
{
	for (unsigned i = 0; i < SPROF_THREAD_FILES; i++) {
		if (thread->files[i] >= 0)
			close(thread->files[i]);
		thread->files[i] = -1;
	}
}

static int open_file(const struct sprof_thread *thread, enum sprof_thread_file file)
{
	static const char *const names[SPROF_THREAD_FILES] = {
		[SPROF_THREAD_STAT] = "stat",
		[SPROF_THREAD_SCHEDSTAT] = "schedstat",
		[SPROF_THREAD_SYSCALL] = "syscall",
	};
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", thread->process->pid, thread->tid,
		names[file]);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* At least 512 bytes are wanted. -1: the thread is gone. */
static ssize_t read_text(
	struct sprof_thread *thread, enum sprof_thread_file file, char *buffer, size_t size)
{
	ssize_t length;
	int fd = thread->files[file];

	if (fd >= 0)
		return sprof_proc_read(fd, buffer, size);
	fd = open_file(thread, file);
	if (fd < 0)
		return -1;
	length = sprof_proc_read(fd, buffer, size);
	if (sprof_file_may_stay_open(fd))
		thread->files[file] = fd;
	else
		close(fd);
	return length;
}

bool sprof_thread_read_stat(struct sprof_thread *thread, struct sprof_proc_stat *ret)
{
	char text[1024];

	return read_text(thread, SPROF_THREAD_STAT, text, sizeof(text)) > 0 &&
		sprof_proc_parse_stat(text, ret);
}

bool sprof_thread_read_schedstat(struct sprof_thread *thread, struct sprof_proc_schedstat *ret)
{
	char text[128];

	return read_text(thread, SPROF_THREAD_SCHEDSTAT, text, sizeof(text)) > 0 &&
		sprof_proc_parse_schedstat(text, ret);
}

bool sprof_thread_read_syscall(struct sprof_thread *thread, struct sprof_proc_syscall *ret)
{
	char text[256];

	return read_text(thread, SPROF_THREAD_SYSCALL, text, sizeof(text)) > 0 &&
		sprof_proc_parse_syscall(text, ret);
}
