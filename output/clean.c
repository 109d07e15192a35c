/*
 * Sanitises text from the target for terminals and line-based formats. Handles UTF-8 (RFC 3629).
 * Does not escape for any format.
 */
#include "output/clean.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHARACTER = 4 }; /* bytes */

/* The length of the valid sequence at `text` (1 to 4) and its code point; 0: invalid. */
static size_t decode(const unsigned char *text, uint32_t *ret_point)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = text[0] < 0x80 ? 1
		: text[0] < 0xc0       ? 0
		: text[0] < 0xe0       ? 2
		: text[0] < 0xf0       ? 3
		: text[0] < 0xf8       ? 4
				       : 0;
	uint32_t point = length == 1 ? text[0] : text[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (text[i] & 0x3f);
	}
	if (!length || point < least[length] || point > 0x10ffff ||
		(point >= 0xd800 && point < 0xe000))
		return 0;
	*ret_point = point;
	return length;
}

/* C0, DEL, C1, line and paragraph separators, and the marks that reorder text. */
static bool is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
		(point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) ||
		point == 0x200e || point == 0x200f || point == 0xfeff;
}

static char replaced(char byte, const char *replace)
{
	for (const char *pair = replace; pair && pair[0] && pair[1]; pair += 2) {
		if (pair[0] == byte)
			return pair[1];
	}
	return byte;
}

/* Copies one character, moves *to on, and returns the number of bytes it took from text. */
static size_t copy_one(const unsigned char *text, const char *replace, char **to)
{
	uint32_t point;
	size_t length = decode(text, &point);

	if (!length) {
		*to = mempcpy(*to, "\xef\xbf\xbd", 3);
		return 1;
	}
	if (is_control(point))
		*(*to)++ = '?';
	else if (length == 1)
		*(*to)++ = replaced((char)text[0], replace);
	else
		*to = mempcpy(*to, text, length);
	return length;
}

char *sprof_clean_text(const char *text, const char *replace)
{
	const unsigned char *from = (const unsigned char *)text;
	char *copy = malloc(strlen(text) * 3 + 2), *to = copy;

	if (!copy)
		return NULL;
	while (*from)
		from += copy_one(from, replace, &to);
	if (to == copy)
		*to++ = '?';
	*to = '\0';
	return copy;
}

void sprof_clean_copy(const char *text, char *buffer, size_t size)
{
	const unsigned char *from = (const unsigned char *)text;
	const char *end = buffer + size - MAX_CHARACTER;
	char *to = buffer;

	while (*from && to < end)
		from += copy_one(from, NULL, &to);
	*to = '\0';
}
