/*
 * Parsing and reading /proc. Knows formats; refuses to know why anybody wants the figures.
 */
#include "attach/procfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"

/* One unsigned or negative number, the blanks before it skipped. */
static bool scan_number(const char **cursor, int base, uint64_t *ret)
{
	char *end;
	const char *at = *cursor;

	while (*at == ' ')
		at++;
	if (!isxdigit((unsigned char)*at) && *at != '-')
		return false;
	*ret = strtoull(at, &end, base);
	if (end == at)
		return false;
	*cursor = end;
	return true;
}

static bool skip_fields(const char **cursor, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		*cursor += strspn(*cursor, " ");
		if (!**cursor)
			return false;
		*cursor += strcspn(*cursor, " \n");
	}
	return true;
}

bool sprof_proc_parse_stat(const char *text, struct sprof_proc_stat *ret)
{
	/* The name may hold anything, parentheses too: it ends at the last one. */
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t processor;
	size_t length;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	length = (size_t)(close - open - 1);
	if (length >= sizeof(ret->comm))
		length = sizeof(ret->comm) - 1;
	memcpy(ret->comm, open + 1, length);
	ret->comm[length] = '\0';
	ret->state = close[2];
	text = close + 3;
	/* Fields 4-8 lie between state and flags, 11 and 13 are those of children, 16-21 lie before
	 * starttime, 23-38 before processor. */
	if (!skip_fields(&text, 5) || !scan_number(&text, 10, &ret->flags) ||
		!scan_number(&text, 10, &ret->minor_faults) || !skip_fields(&text, 1) ||
		!scan_number(&text, 10, &ret->major_faults) || !skip_fields(&text, 1) ||
		!scan_number(&text, 10, &ret->user_ticks) ||
		!scan_number(&text, 10, &ret->system_ticks) || !skip_fields(&text, 6) ||
		!scan_number(&text, 10, &ret->start_ticks) || !skip_fields(&text, 16) ||
		!scan_number(&text, 10, &processor))
		return false;
	ret->processor = (int)processor;
	ret->priority = ret->policy = ret->disk_ticks = 0;
	if (scan_number(&text, 10, &ret->priority) && scan_number(&text, 10, &ret->policy))
		scan_number(&text, 10, &ret->disk_ticks);
	return true;
}

bool sprof_proc_parse_io(const char *text, struct sprof_proc_io *ret)
{
	long bytes_read, written;

	if (!sprof_proc_status_number(text, "rchar", &bytes_read) ||
		!sprof_proc_status_number(text, "wchar", &written))
		return false;
	*ret = (struct sprof_proc_io){(uint64_t)bytes_read, (uint64_t)written};
	return true;
}

bool sprof_proc_parse_schedstat(const char *text, struct sprof_proc_schedstat *ret)
{
	return scan_number(&text, 10, &ret->cpu_ns) && scan_number(&text, 10, &ret->runq_ns) &&
		scan_number(&text, 10, &ret->timeslices);
}

bool sprof_proc_parse_loadavg(const char *text, struct sprof_proc_loadavg *ret)
{
	return skip_fields(&text, 3) && scan_number(&text, 10, &ret->runnable) && *text == '/';
}

/* "cpu user nice system idle iowait irq softirq steal ..."; a guest's time is in that of user. */
bool sprof_proc_parse_cpus(const char *text, struct sprof_proc_cpus *ret)
{
	uint64_t ticks[8];

	if (strncmp(text, "cpu ", 4))
		return false;
	text += 4;
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		if (!scan_number(&text, 10, &ticks[i]))
			return false;
	}
	ret->worked_ticks = ticks[0] + ticks[1] + ticks[2];
	ret->lost_ticks = ticks[5] + ticks[6] + ticks[7];
	return true;
}

bool sprof_proc_parse_syscall(const char *text, struct sprof_proc_syscall *ret)
{
	uint64_t number;

	*ret = (struct sprof_proc_syscall){.kind = SPROF_PROC_SYSCALL_RUNNING, .number = -1};
	if (!strncmp(text, "running", 7))
		return true;
	if (!scan_number(&text, 10, &number))
		return false;
	ret->number = (int64_t)number;
	ret->kind = ret->number < 0 ? SPROF_PROC_SYSCALL_OUTSIDE : SPROF_PROC_SYSCALL_INSIDE;
	for (unsigned i = 0; ret->number >= 0 && i < 6; i++) {
		if (!scan_number(&text, 16, &ret->arguments[i]))
			return false;
	}
	return scan_number(&text, 16, &ret->sp) && scan_number(&text, 16, &ret->pc);
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

ssize_t sprof_proc_read(int fd, char *buffer, size_t size)
{
	ssize_t length = pread(fd, buffer, size - 1, 0);

	if (length >= 0)
		buffer[length] = '\0';
	return length;
}

ssize_t sprof_proc_read_path(const char *path, char *buffer, size_t size)
{
	SPROF_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -1 : sprof_proc_read(fd, buffer, size);
}

DIR *sprof_proc_open_tasks(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return opendir(path);
}

pid_t sprof_proc_next_task(DIR *tasks)
{
	const struct dirent *entry;

	while ((entry = readdir(tasks))) {
		if (entry->d_name[0] != '.')
			return (pid_t)atoi(entry->d_name);
	}
	return 0;
}

char *sprof_proc_read_whole(const char *path, size_t *ret_size)
{
	SPROF_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? NULL : sprof_proc_read_whole_open(fd, ret_size);
}

char *sprof_proc_read_whole_open(int fd, size_t *ret_size)
{
	char *text = NULL;
	size_t capacity = 0, size = 0;

	for (;;) {
		ssize_t got;

		if (!sprof_array_reserve(&text, &capacity, size + 64 * 1024, 1)) {
			errno = ENOMEM;
			break;
		}
		got = pread(fd, text + size, capacity - size - 1, (off_t)size);
		if (got < 0)
			break;
		size += (size_t)got;
		text[size] = '\0';
		if (!got) {
			*ret_size = size;
			return text;
		}
	}
	free(text);
	return NULL;
}
