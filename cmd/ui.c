/*
 * The only place that writes to stderr. Knows levels and prefixes; what is worth saying is known to
 * its callers.
 */
#include "cmd/ui.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_SIZE = 1024 };

static enum sprof_ui_level level = SPROF_UI_NORMAL;

void sprof_ui_set_level(enum sprof_ui_level new_level)
{
	level = new_level;
}

void sprof_ui_error(const struct sprof_error *err)
{
	fprintf(stderr, "sprof: %s\n%s%s%s", err->message, err->hint[0] ? "hint: " : "", err->hint,
		err->hint[0] ? "\n" : "");
}

static void __attribute__((format(printf, 1, 0))) say(const char *format, va_list args)
{
	char line[LINE_SIZE];

	vsnprintf(line, sizeof(line), format, args);
	fprintf(stderr, "sprof: %s\n", line);
}

void sprof_ui_note(const char *format, ...)
{
	va_list args;

	if (level < SPROF_UI_NORMAL)
		return;
	va_start(args, format);
	say(format, args);
	va_end(args);
}

void sprof_ui_progress(const char *format, ...)
{
	va_list args;

	if (level < SPROF_UI_NORMAL || (level < SPROF_UI_VERBOSE && !isatty(STDERR_FILENO)))
		return;
	va_start(args, format);
	say(format, args);
	va_end(args);
}
