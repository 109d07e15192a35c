/*
 * From a row of the table of waits to words. What is not known is left out or said in brackets.
 */
#include "output/wait-words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/fit.h"

char *sprof_wait_words_object(const struct sprof_profile *profile, const struct sprof_waits_row *row)
{
	const char *object = row->object ? row->object : row->syscall ? "" : "[not known]";
	char *words;

	if (row->alike > 1) {
		if (asprintf(&words, "%s and %" PRIu32 " more like it", object, row->alike - 1) < 0)
			return NULL;
		return words;
	}
	if (row->process == SPROF_PROFILE_NONE || profile->process_count < 2 || row->is_join)
		return strdup(object);
	/* A lock that only one of several processes has. */
	if (asprintf(&words, "%s of process %d", object, profile->processes[row->process].pid) < 0)
		return NULL;
	return words;
}

char *sprof_wait_words(
	const struct sprof_profile *profile, const struct sprof_waits_row *row, size_t room)
{
	SPROF_AUTO_FREE char *object = sprof_wait_words_object(profile, row);
	SPROF_AUTO_FREE char *function = row->function == SPROF_PROFILE_NONE
		? strdup("[unknown]")
		: sprof_fit_function(profile->functions[row->function].name, false, room);
	char *words;

	if (!object || !function ||
		asprintf(&words, "%s%s%s in %s", row->syscall ? row->syscall : "",
			row->syscall && object[0] ? " " : "", object, function) < 0)
		return NULL;
	return words;
}

char *sprof_wait_words_holder(const struct sprof_waits_row *row)
{
	char *words;

	if (asprintf(&words, "%s %s, %.0f %% of it%s%s", row->is_join ? "for the end of" : "held by",
		    row->holder, sprof_percent(row->holder_ns, row->ns),
		    row->holder_function ? ", most in " : "",
		    row->holder_function ? row->holder_function : "") < 0)
		return NULL;
	return words;
}
