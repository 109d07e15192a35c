/*
 * sprof top in a build without ncurses: it says so.
 */
#include "cmd/top-screen.h"

bool sprof_top_screen_check(struct sprof_error *err)
{
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"this sprof was built without ncurses, so it has no sprof top");
}

bool sprof_top_screen_run(const struct sprof_top_screen *screen, struct sprof_error *err)
{
	return sprof_top_screen_check(err);
}
