/*
 * Lines of the form "Name:\tvalue". Does not handle the meaning of the fields, nor units after a
 * number.
 */
#include "base/proc-status.h"

#include <stdlib.h>
#include <string.h>

#include "base/proc.h"

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

	return sprof_proc_read_file(tid, 0, "status", text, sizeof(text)) > 0 &&
		sprof_proc_status_number(text, field, ret);
}
