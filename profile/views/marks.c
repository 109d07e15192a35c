/*
 * Texts after function names that mark unusual calls (inlined, tail call), and the lines of a
 * location that are not code there.
 */
#include <assert.h>

#include "profile/model/profile.h"

const char *sprof_mark_text(enum sprof_mark mark)
{
	static const char *const texts[SPROF_MARK_COUNT] = {
		"", " (inlined)", " (tail call)", " (tail call?)"};

	assert(mark < SPROF_MARK_COUNT);
	return texts[mark];
}

/* A doubt stays. A call in the usual way outweighs the rest. */
enum sprof_mark sprof_mark_join(enum sprof_mark one, enum sprof_mark other)
{
	if (one == other || one == SPROF_MARK_TAIL_CALLED)
		return one;
	return other == SPROF_MARK_TAIL_CALLED ? other : SPROF_MARK_CALLED;
}

uint32_t sprof_profile_own_lines(
	const struct sprof_profile *profile, const struct sprof_profile_location *location)
{
	const struct sprof_profile_line *lines = &profile->lines[location->first_line];
	uint32_t count = location->line_count;

	while (count > 1 && lines[count - 1].mark == SPROF_MARK_TAIL_CALL)
		count--;
	return count;
}

uint32_t sprof_profile_owner(
	const struct sprof_profile *profile, const struct sprof_profile_location *location)
{
	uint32_t count = sprof_profile_own_lines(profile, location);

	assert(count);
	return profile->lines[location->first_line + count - 1].function;
}
