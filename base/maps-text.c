/*
 * Chooses which maps file to read: every thread has one, with the same content for all threads of a
 * process. Parses the format (fs/proc/task_mmu.c), and rejects everything else.
 */
#include "base/maps-text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* Needed because strtoull(3) accepts blanks, newlines and signs before the digits. */
static bool scan_hex(const char **cursor, char end, uint64_t *ret)
{
	char *stop;

	if (!isxdigit((unsigned char)**cursor))
		return false;
	*ret = strtoull(*cursor, &stop, 16);
	if (*stop != end)
		return false;
	*cursor = stop + 1;
	return true;
}

bool sprof_maps_parse_line(const char **cursor, struct sprof_maps_line *ret)
{
	const char *at = *cursor;
	uint64_t major, minor;
	char *stop;

	if (!*at || !scan_hex(&at, '-', &ret->start) || !scan_hex(&at, ' ', &ret->end))
		return false;
	if (strnlen(at, 5) < 5 || at[4] != ' ')
		return false;
	ret->executable = at[2] == 'x';
	ret->shared = at[3] == 's';
	at += 5;
	if (!scan_hex(&at, ' ', &ret->offset) || !scan_hex(&at, ':', &major) ||
		!scan_hex(&at, ' ', &minor))
		return false;
	ret->device = major << 32 | minor;
	if (!isdigit((unsigned char)*at))
		return false;
	ret->inode = strtoull(at, &stop, 10);
	at = stop + strspn(stop, " ");
	ret->path = at;
	ret->path_length = strcspn(at, "\n");
	at += ret->path_length;
	*cursor = *at ? at + 1 : at;
	return true;
}
