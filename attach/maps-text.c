/*
 * Which maps to read: those of a process are the same for all its threads, and each has a file of them.
 */
#include "attach/maps-text.h"

#include <stdio.h>
#include <stdlib.h>

#include "attach/procfs.h"

/* NULL: there is none, or nothing in it: the thread has ended, or its process. */
static char *read_text(pid_t tid)
{
	char path[64], *text;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	text = sprof_proc_read_whole(path, &size);
	if (text && size)
		return text;
	free(text);
	return NULL;
}

/* A leader that has ended has no memory any more, though all its threads have (proc(5), NOTES). */
static char *read_text_of_thread(pid_t pid, pid_t *ret_tid)
{
	DIR *tasks = sprof_proc_open_tasks(pid);
	char *text = NULL;

	while (tasks && !text && (*ret_tid = sprof_proc_next_task(tasks))) {
		if (*ret_tid != pid)
			text = read_text(*ret_tid);
	}
	if (tasks)
		closedir(tasks);
	return text;
}

char *sprof_maps_read_text(pid_t pid, pid_t *ret_tid)
{
	char *text = read_text(pid);

	*ret_tid = pid;
	return text ? text : read_text_of_thread(pid, ret_tid);
}
