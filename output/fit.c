/*
 * Shortens text. Does not handle characters that are two columns wide: such lines may get too long.
 */
#include "output/fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/clean.h"
#include "output/short-name.h"

static const char gap[] = "...";

enum { GAP = sizeof(gap) - 1 };

static bool starts_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t sprof_fit_length(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += starts_character(*text);
	return count;
}

size_t sprof_fit_bytes(const char *text, size_t characters)
{
	size_t bytes = 0;

	for (; text[bytes]; bytes++) {
		if (starts_character(text[bytes]) && characters-- == 0)
			break;
	}
	return bytes;
}

char *sprof_fit(const char *clean, size_t room)
{
	size_t length = sprof_fit_length(clean), head = (room - GAP) / 2;

	if (length <= room)
		return strdup(clean);
	return sprof_string_print("%.*s%s%s", (int)sprof_fit_bytes(clean, head), clean, gap,
		clean + sprof_fit_bytes(clean, length - (room - GAP - head)));
}

char *sprof_fit_function(const char *name, bool short_name, size_t room)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(name, NULL);
	SPROF_AUTO_FREE char *shortened = NULL, *cleaned = NULL;

	if (!clean)
		return NULL;
	if (!short_name && (!room || sprof_fit_length(clean) <= room))
		return strdup(clean);
	shortened = sprof_short_name(name);
	cleaned = shortened ? sprof_clean_text(shortened, NULL) : NULL;
	if (!cleaned)
		return NULL;
	return room ? sprof_fit(cleaned, room) : strdup(cleaned);
}
