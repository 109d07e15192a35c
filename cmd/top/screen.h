/* The screen of sprof top: turns named profiles and keys into a picture. */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/top/feed.h"
#include "cmd/top/output.h"

/* The screen's environment; must outlive it. */
struct sprof_top_screen {
	const char *command; /* of the target */
	struct sprof_top_feed *feed;
	struct sprof_top_output *output;
	const sigset_t *ending; /* signals that close the screen after sampling has ended */
	bool short_names;
	int orders; /* takes lines as --control does: "disable", "enable" */
};

/*
 * Opens with the first profile, in the calling thread; returns when the user quits, the feed is
 * closed, or the terminal is gone. Signals are blocked in all threads. Returns false on errors.
 */
SPROF_MUST_USE bool sprof_top_screen_run(
	const struct sprof_top_screen *screen, struct sprof_error *err);
