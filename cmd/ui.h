/*
 * Messages to the user, on stderr. Each call is one write, so lines of several processes don't mix.
 * Control characters and invalid UTF-8 are replaced, so callers need not sanitise names.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

enum sprof_ui_level {
	SPROF_UI_QUIET, /* errors only */
	SPROF_UI_NORMAL,
	SPROF_UI_VERBOSE,
};

void sprof_ui_set_level(enum sprof_ui_level level);

/* "sprof: MESSAGE" and, if there is one, "hint: ..." on the next line. At every level. */
void sprof_ui_error(const struct sprof_error *err);

/* "sprof: ..." unless quiet: what the user must know to interpret the result. */
void sprof_ui_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "sprof: ..." unless quiet, to a terminal; with -v to any stderr: the current step. */
void sprof_ui_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
