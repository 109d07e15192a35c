/*
 * Shortens text. Does not handle characters that are two columns wide: such lines may get too long.
 */
#include "output/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
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

/* The place of the n-th character. */
static const char *character(const char *text, size_t number)
{
	for (; *text; text++) {
		if (starts_character(*text) && number-- == 0)
			break;
	}
	return text;
}

char *sprof_fit(const char *clean, size_t room)
{
	size_t length = sprof_fit_length(clean), head = (room - GAP) / 2;
	char *fitted;

	if (length <= room)
		return strdup(clean);
	if (asprintf(&fitted, "%.*s%s%s", (int)(character(clean, head) - clean), clean, gap,
		    character(clean, length - (room - GAP - head))) < 0)
		return NULL;
	return fitted;
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
