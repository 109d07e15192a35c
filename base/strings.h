/*
 * Small helpers for texts: what they begin with, the last part of a path, texts made by a format.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline bool sprof_string_starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static inline bool sprof_string_ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), wanted = strlen(end);

	return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* Whether a text of this length, without a NUL behind it, is the word. */
static inline bool sprof_string_is(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* `starts` ends with NULL. */
static inline bool sprof_string_starts_with_any(const char *text, const char *const starts[])
{
	for (; *starts; starts++) {
		if (sprof_string_starts_with(text, *starts))
			return true;
	}
	return false;
}

/* `names` ends with NULL. */
static inline bool sprof_string_is_one_of(const char *text, const char *const names[])
{
	while (*names && strcmp(*names, text) != 0)
		names++;
	return *names;
}

/* What follows the last slash; the whole path if it has none. */
static inline const char *sprof_string_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether a list of words with blanks between them has a word of this length. */
bool sprof_string_has_word(const char *list, const char *word, size_t length);

/* "s" for a plural. */
static inline const char *sprof_string_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* The formatted text, which the caller frees. NULL: out of memory. */
char *sprof_string_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Closes a stream of open_memstream(3), NULL if there was no memory for one, and returns its text,
 * which the caller frees. NULL: out of memory, or not `ok`.
 */
char *sprof_string_close(FILE *stream, char **text, bool ok);
