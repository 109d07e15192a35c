/*
 * The only place that writes to stderr. Handles levels and prefixes. Sanitises every line, because
 * names of programs and files are untrusted (see output/clean.h). Does not decide what to say.
 */
#include "cmd/ui.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "output/clean.h"

enum { LINE_SIZE = 1024 };

static enum sprof_ui_level level = SPROF_UI_NORMAL;

void sprof_ui_set_level(enum sprof_ui_level new_level)
{
	level = new_level;
}

void sprof_ui_error(const struct sprof_error *err)
{
	char message[3 * sizeof(err->message) + 4], hint[3 * sizeof(err->hint) + 4];

	sprof_clean_copy(err->message, message, sizeof(message));
	sprof_clean_copy(err->hint, hint, sizeof(hint));
	fprintf(stderr, "sprof: %s\n%s%s%s", message, hint[0] ? "hint: " : "", hint,
		hint[0] ? "\n" : "");
}

static void __attribute__((format(printf, 1, 0))) say(const char *format, va_list args)
{
	char raw[LINE_SIZE], line[3 * LINE_SIZE + 4];

	vsnprintf(raw, sizeof(raw), format, args);
	sprof_clean_copy(raw, line, sizeof(line));
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
