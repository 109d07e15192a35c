/*
 * The few lines that every target program would write again. It knows nothing of sprof; the one
 * thing done for it is PR_SET_PTRACER_ANY, which lets a sibling attach where yama's ptrace_scope
 * is 1.
 */
#include "tests/targets/target.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static int ready_fd = STDOUT_FILENO;

_Noreturn void target_fail(const char *what)
{
	fprintf(stderr, "target: %s: %s\n", what, strerror(errno));
	_exit(99);
}

void target_init(int *argc, char *argv[])
{
	/* Fails where yama is not built in, and then isn't needed. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	if (*argc < 3 || strcmp(argv[1], "--ready") != 0)
		return;
	ready_fd = atoi(argv[2]);
	for (int i = 1; i + 2 <= *argc; i++)
		argv[i] = argv[i + 2];
	*argc -= 2;
}

static void write_line(int fd, const char *prefix, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

static void write_line(int fd, const char *prefix, const char *format, va_list args)
{
	char line[4096];
	size_t length = strlen(prefix);

	memcpy(line, prefix, length);
	length += (size_t)vsnprintf(&line[length], sizeof(line) - length, format, args);
	if (length >= sizeof(line))
		target_fail("a line too long");
	line[length++] = '\n';
	if (write(fd, line, length) != (ssize_t)length)
		target_fail("write");
}

void target_ready(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(ready_fd, "ready ", format, args);
	va_end(args);
}

void target_print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(STDOUT_FILENO, "", format, args);
	va_end(args);
}

bool target_read_line(char *line, int size)
{
	int length = 0;

	while (length < size - 1) {
		ssize_t count = read(STDIN_FILENO, &line[length], 1);

		if (count < 0)
			target_fail("read stdin");
		if (count == 0 || line[length] == '\n')
			break;
		length++;
	}
	line[length] = '\0';
	return length > 0;
}

void target_wait_for_end(void)
{
	char line[64];

	while (target_read_line(line, sizeof(line)))
		;
}

long target_number(int argc, char *argv[], int index, long otherwise)
{
	return index < argc ? strtol(argv[index], NULL, 10) : otherwise;
}

uint64_t target_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
