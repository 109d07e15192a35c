/*
 * Lines of the form "Name:\tvalue". Does not handle the meaning of the fields, nor units after a
 * number.
 */
#include "base/proc-status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/proc.h"

ssize_t sprof_proc_status_read_open(int fd, char *buffer, size_t size)
{
	static const char groups[] = "\nGroups:";
	const ssize_t length = sprof_proc_read(fd, buffer, size);
	char *at = length == (ssize_t)size - 1 ? strstr(buffer, groups) : NULL;
	SPROF_AUTO_FREE char *whole = NULL;
	const char *rest;
	size_t whole_size;

	if (!at)
		return length;
	whole = sprof_proc_read_whole_open(fd, &whole_size);
	rest = whole ? strstr(whole, groups) : NULL;
	rest = rest ? strchr(rest + 1, '\n') : NULL;
	if (!rest)
		return length;
	snprintf(at, size - (size_t)(at - buffer), "%s", rest);
	return (ssize_t)strlen(buffer);
}

ssize_t sprof_proc_status_read(pid_t pid, pid_t tid, char *buffer, size_t size)
{
	SPROF_AUTO_CLOSE int fd = sprof_proc_open(pid, tid, "status");

	return fd < 0 ? -1 : sprof_proc_status_read_open(fd, buffer, size);
}

static const char *next_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end ? end + 1 : NULL;
}

bool sprof_proc_status_field(const char *text, const char *field, char *ret, size_t size)
{
	size_t name_length = strlen(field), length;

	for (; text; text = next_line(text)) {
		if (strncmp(text, field, name_length) || text[name_length] != ':')
			continue;
		text += name_length + 1;
		text += strspn(text, " \t");
		length = strcspn(text, "\n");
		while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
			length--;
		if (length >= size)
			return false;
		memcpy(ret, text, length);
		ret[length] = '\0';
		return true;
	}
	return false;
}

bool sprof_proc_status_number(const char *text, const char *field, long *ret)
{
	char value[64], *end;
	long number;

	if (!sprof_proc_status_field(text, field, value, sizeof(value)))
		return false;
	number = strtol(value, &end, 10);
	if (end == value)
		return false;
	*ret = number;
	return true;
}

/* Bit n is signal n + 1 (fs/proc/array.c, render_sigset_t). */
bool sprof_proc_status_has_signal(const char *text, const char *field, int signal)
{
	char value[64];

	return signal > 0 && signal <= 64 &&
		sprof_proc_status_field(text, field, value, sizeof(value)) &&
		strtoull(value, NULL, 16) >> (signal - 1) & 1;
}

bool sprof_proc_has_handler(pid_t pid, int signal)
{
	char text[SPROF_PROC_STATUS_MAX];

	return sprof_proc_status_read(pid, 0, text, sizeof(text)) > 0 &&
		sprof_proc_status_has_signal(text, "SigCgt", signal);
}

pid_t sprof_proc_status_inner_id(const char *text, const char *field)
{
	char value[256];
	const char *last;

	if (!sprof_proc_status_field(text, field, value, sizeof(value)))
		return 0;
	last = strrchr(value, '\t');
	return (pid_t)strtol(last ? last + 1 : value, NULL, 10);
}

bool sprof_proc_status_read_number(pid_t tid, const char *field, long *ret)
{
	char text[SPROF_PROC_STATUS_MAX];

	return sprof_proc_status_read(tid, 0, text, sizeof(text)) > 0 &&
		sprof_proc_status_number(text, field, ret);
}
