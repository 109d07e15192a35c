/*
 * Lists of words, and texts made by a format. Without memory there is no text, never a part of one.
 */
#include "base/strings.h"

#include <stdarg.h>
#include <stdlib.h>

bool sprof_string_has_word(const char *list, const char *word, size_t length)
{
	list += strspn(list, " ");
	for (; *list; list += strspn(list, " ")) {
		const size_t own = strcspn(list, " ");

		if (own == length && !strncmp(list, word, length))
			return true;
		list += own;
	}
	return false;
}

char *sprof_string_print(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	return length < 0 ? NULL : text;
}

char *sprof_string_close(FILE *stream, char **text, bool ok)
{
	ok = stream && !ferror(stream) && ok;
	if (stream && !fclose(stream) && ok)
		return *text;
	free(*text);
	return NULL;
}
