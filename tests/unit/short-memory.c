/*
 * The allocator under test: the linker sends the calls here (ld(1), --wrap).
 */
#include "tests/unit/short-memory.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long countdown;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
int __wrap_vasprintf(char **ret, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
int __wrap_asprintf(char **ret, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fails(void)
{
	return countdown && --countdown == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

int __wrap_vasprintf(char **ret, const char *format, va_list args)
{
	va_list again;
	int length;

	*ret = (char *)-1; /* where it fails, what is there is undefined (asprintf(3)) */
	if (fails())
		return -1;
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	*ret = __real_malloc((size_t)length + 1);
	return *ret ? vsnprintf(*ret, (size_t)length + 1, format, args) : -1;
}

int __wrap_asprintf(char **ret, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = __wrap_vasprintf(ret, format, args);
	va_end(args);
	return length;
}

void short_memory_begin(unsigned long number)
{
	countdown = number;
}

bool short_memory_end(void)
{
	bool failed = !countdown;

	countdown = 0;
	return failed;
}
