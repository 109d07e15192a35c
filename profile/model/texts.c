/*
 * Texts of a recording: interned and bounded. Texts of files and names of functions are not
 * bounded; they use base/strtab.h.
 */
#include <string.h>

#include "profile/model/index.h"

enum {
	LONGEST_TEXT = 4096 /* of a command line */
};

bool sprof_profile_intern_text(struct sprof_profile *profile, const char *text, const char **ret)
{
	struct sprof_strtab *strings = profile->index->strings;
	const size_t bound = profile->index->bounds.text;
	size_t length = strlen(text);

	*ret = NULL;
	if (bound && length > LONGEST_TEXT)
		length = LONGEST_TEXT;
	if (sprof_profile_is_full(sprof_strtab_size(strings) + length, bound)) {
		*ret = sprof_strtab_find(strings, text);
		text = SPROF_PROFILE_OTHER;
		length = strlen(text);
	}
	if (!*ret)
		*ret = sprof_strtab_intern_bytes(strings, text, length);
	return *ret;
}
