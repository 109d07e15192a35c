/*
 * What reports write behind the name of a function that was not called in the usual way.
 */
#include <assert.h>

#include "profile/profile.h"

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
