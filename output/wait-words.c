/* Phrases for rows of the table of waits. Unknown facts are left out or named in brackets. */
#include "output/wait-words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/clean.h"
#include "output/fit.h"

enum {
	LEAST = 8 /* characters of an object or a function */
};

static char *object_text(const struct sprof_profile *profile, const struct sprof_waits_row *row)
{
	const char *object = row->object ? row->object : row->syscall ? "" : "[not known]";
	char alike[32] = "", process[32] = "";

	if (row->alike > 1)
		snprintf(alike, sizeof(alike), " and %" PRIu32 " more like it", row->alike - 1);
	/* A lock that is private to one of several processes. */
	if (row->process != SPROF_PROFILE_NONE && profile->process_count > 1 && !row->is_join)
		snprintf(process, sizeof(process), " of process %d",
			profile->processes[row->process].pid);
	return sprof_string_print("%s%s%s", object, alike, process);
}

char *sprof_wait_words_lock(const char *name)
{
	const size_t length = strlen(name);
	const bool is_bare = length <= 2 || strcmp(name + length - 2, "+0") != 0;

	if (sprof_profile_is_interpreter_lock(name))
		return strdup("interpreter lock (GIL)");
	return strndup(name, is_bare ? length : length - 2);
}

/* Cleans the text; an empty text stays empty. */
static char *clean_text(const char *text)
{
	return text[0] ? sprof_clean_text(text, NULL) : strdup("");
}

char *sprof_wait_words_object(
	const struct sprof_profile *profile, const struct sprof_waits_row *row)
{
	SPROF_AUTO_FREE char *text = object_text(profile, row);

	return text ? clean_text(text) : NULL;
}

static char *function_words(
	const struct sprof_profile *profile, const struct sprof_waits_row *row, size_t room)
{
	if (row->function == SPROF_PROFILE_NONE)
		return strdup("[unknown]");
	return sprof_fit_function(profile->functions[row->function].name, false, room);
}

static size_t what_is_left(size_t room, size_t used)
{
	return room > used + LEAST ? room - used : LEAST;
}

char *sprof_wait_words(
	const struct sprof_profile *profile, const struct sprof_waits_row *row, size_t room)
{
	const char *call = row->syscall ? row->syscall : "";
	SPROF_AUTO_FREE char *object = sprof_wait_words_object(profile, row);
	size_t used = strlen(call) + strlen("  in "),
	       length = object ? sprof_fit_length(object) : 0;
	size_t half = room / 2 > LEAST ? room / 2 : LEAST;
	/* The function gets the room that the object leaves, but at least half of the line. */
	size_t of_function = length + half < room ? what_is_left(room, used + length) : half;
	SPROF_AUTO_FREE char *function = function_words(profile, row, room ? of_function : 0);
	SPROF_AUTO_FREE char *fitted = NULL;

	if (!object || !function)
		return NULL;
	fitted = room ? sprof_fit(object, what_is_left(room, used + sprof_fit_length(function)))
		      : strdup(object);
	return fitted ? sprof_string_print("%s%s%s in %s", call, call[0] && object[0] ? " " : "",
				fitted, function)
		      : NULL;
}

char *sprof_wait_words_holder(const struct sprof_waits_row *row)
{
	SPROF_AUTO_FREE char *text = sprof_string_print("%s %s, %.0f %% of it%s%s",
		row->is_join ? "for the end of" : "held by", row->holder,
		sprof_percent(row->holder_ns, row->ns), row->holder_function ? ", most in " : "",
		row->holder_function ? row->holder_function : "");

	return text ? clean_text(text) : NULL;
}
