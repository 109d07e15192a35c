/*
 * The part of the head that lists modules with unresolved frames, the reason and, if known, the
 * remedy.
 */
#include "output/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/clean.h"
#include "profile/names/gaps.h"

enum {
	MAX_MODULES = 12, /* the full report has more */
};

/* A path or a build id that does not fit the terminal gets a separate line. */
static void write_with_word(const struct sprof_text *text, const char *head, const char *word)
{
	const bool fits =
		!text->options.width || strlen(head) + 2 + strlen(word) <= text->options.width;

	sprof_out_printf(text->out, "%s%s%s\n", head, fits ? "  " : "\n             ", word);
}

static void write_reason(const struct sprof_text *text, const char *why)
{
	const char *last = strrchr(why, ' ');
	const size_t length = strlen(why) + 13;

	if (last && text->options.width && length > text->options.width)
		sprof_out_printf(text->out, "             %.*s\n             %s\n",
			(int)(last - why), why, last + 1);
	else
		sprof_out_printf(text->out, "             %s\n", why);
}

static void write_gap(
	const struct sprof_text *text, const struct sprof_gaps *gaps, const struct sprof_gap *gap)
{
	const struct sprof_module *module = sprof_modules_get(text->profile->modules, gap->module);
	SPROF_AUTO_FREE char *path = sprof_clean_text(module->path, NULL);
	char head[80];

	if (!path) {
		sprof_out_fail(text->out, ENOMEM);
		return;
	}
	snprintf(head, sizeof(head), "    %5.1f %% of samples, %" PRIu64 " address%s",
		sprof_percent(gap->samples, gaps->all_samples), gap->addresses,
		gap->addresses == 1 ? "" : "es");
	write_with_word(text, head, path);
	if (gap->why)
		write_reason(text, gap->why);
	if (gap->help)
		sprof_out_printf(text->out, "             try: %s\n", gap->help);
}

bool sprof_text_modules(const struct sprof_text *text, struct sprof_error *err)
{
	size_t most = text->options.full ? SIZE_MAX : MAX_MODULES;
	struct sprof_gaps gaps;

	if (!sprof_gaps_build(text->profile, &gaps, err))
		return false;
	if (gaps.count)
		sprof_out_puts(text->out, "  modules with frames that have no name:\n");
	for (size_t i = 0; i < gaps.count && i < most; i++)
		write_gap(text, &gaps, &gaps.items[i]);
	if (gaps.count > most)
		sprof_out_printf(text->out, "    and %zu more\n", gaps.count - most);
	sprof_gaps_finish(&gaps);
	return true;
}
