/*
 * The screen of sprof top: from named profiles and keys to what is drawn.
 */
#ifndef SPROF_CMD_TOP_SCREEN_H
#define SPROF_CMD_TOP_SCREEN_H

#include <signal.h>
#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/top-feed.h"
#include "cmd/top-output.h"

/* What the screen works on; it outlives the screen. */
struct sprof_top_screen {
	const char *command; /* of what is watched */
	struct sprof_top_feed *feed;
	struct sprof_top_output *output;
	const sigset_t *ending; /* once nothing is sampled any more, these end the screen */
	bool short_names;
	int orders; /* takes lines as --control does: "disable", "enable" */
};

/*
 * Appears with the first profile, in the calling thread, and returns when the user leaves, the feed is
 * closed, or the terminal is gone. Signals are blocked in all threads. False: it could not go on.
 */
SPROF_MUST_USE bool sprof_top_screen_run(
	const struct sprof_top_screen *screen, struct sprof_error *err);

#endif
