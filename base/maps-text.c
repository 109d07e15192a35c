/*
 * Chooses which maps file to read: every thread has one, with the same content for all threads of a
 * process. maps-line.c parses the lines.
 */
#include "base/maps-text.h"

#include <stdlib.h>

#include "base/proc.h"

/* NULL: no file or no content: the thread or its process has ended. */
static char *read_text(pid_t tid)
{
	size_t size;
	char *text = sprof_proc_read_whole(sprof_proc_path(tid, 0, "maps").text, &size);

	if (text && size)
		return text;
	free(text);
	return NULL;
}

/* A leader that has ended has no memory, although its threads do (proc(5), NOTES). */
static char *read_text_of_thread(pid_t pid, pid_t *ret_tid)
{
	DIR *tasks = sprof_proc_open_tasks(pid);
	char *text = NULL;

	while (tasks && !text && (*ret_tid = sprof_proc_next_id(tasks))) {
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
