/*
 * Conventions shared by the parts of the terminal report: titles, columns, and names shortened to
 * the line.
 */
#include "output/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/clean.h"
#include "output/fit.h"
#include "output/units.h"

enum {
	LEAST_NAME = 8, /* characters of a name, even where the line is full */
	WIDE = 100,     /* columns: from here on rows show everything */
};

static void put_title(const struct sprof_text *text, const char *part)
{
	const enum sprof_weight weight = text->options.weight;
	SPROF_AUTO_FREE char *name =
		sprof_clean_text(sprof_profile_weight_name(text->profile, weight), NULL);

	if (!name)
		sprof_out_fail(text->out, ENOMEM);
	sprof_out_printf(text->out, "\n%s, by %s%s", part, name ? name : "",
		sprof_weight_is_time(weight) ? " time" : "");
}

void sprof_text_title(const struct sprof_text *text, const char *part)
{
	put_title(text, part);
	sprof_out_puts(text->out, "\n");
}

static bool has_idle(const struct sprof_text *text, const struct sprof_view *view)
{
	const struct sprof_profile *profile = text->profile;

	for (size_t i = 0; i < profile->row_count; i++) {
		if (text->idle[i] && sprof_view_takes(view, profile, i) &&
			sprof_metrics_get(&profile->rows[i].metrics, view->weight))
			return true;
	}
	return false;
}

const char *sprof_text_with_idle(const struct sprof_text *text, const struct sprof_view *view)
{
	return sprof_weight_is_time(view->weight) && has_idle(text, view) ? ", with idle time" : "";
}

void sprof_text_title_of(const struct sprof_text *text, const char *part,
	const struct sprof_view *view, uint64_t whole)
{
	put_title(text, part);
	sprof_out_printf(text->out, ": shares are of %s%s\n",
		sprof_figure_value(text->profile, text->options.weight, whole).text,
		sprof_text_with_idle(text, view));
}

size_t sprof_text_columns(const struct sprof_text *text, const enum sprof_weight **ret)
{
	static const enum sprof_weight waits[] = {
		SPROF_WEIGHT_SLEEP, SPROF_WEIGHT_DISK, SPROF_WEIGHT_STOPPED};

	*ret = sprof_weight_columns;
	switch (text->profile->quality.mode) {
	case SPROF_MODE_CPU:
		return SPROF_WEIGHT_COLUMNS - 2; /* the last are runq and wait */
	case SPROF_MODE_WAIT:
		*ret = waits;
		return sizeof(waits) / sizeof(waits[0]);
	case SPROF_MODE_WALL:
	case SPROF_MODE_COUNT:
		break;
	}
	return text->shows_stolen ? SPROF_WEIGHT_ALL_COLUMNS : SPROF_WEIGHT_COLUMNS;
}

void sprof_text_value(
	const struct sprof_text *text, struct sprof_row *row, const char *title, uint64_t value)
{
	sprof_row_text(
		row, title, 8, sprof_figure_value(text->profile, text->options.weight, value).text);
}

/* The number of characters that fit for a name; 0: no limit. */
static size_t room_of(const struct sprof_text *text, size_t column)
{
	size_t width = text->options.width;

	if (!width)
		return 0;
	return width > column + LEAST_NAME ? width - column : LEAST_NAME;
}

static void put_line(const struct sprof_text *text, const char *name, const char *suffix)
{
	if (name && suffix)
		sprof_out_printf(text->out, "%s%s\n", name, suffix);
	else
		sprof_out_fail(text->out, ENOMEM);
}

void sprof_text_end_with_name(const struct sprof_text *text, size_t column, const char *name)
{
	SPROF_AUTO_FREE char *clean = name ? sprof_clean_text(name, NULL) : NULL;
	size_t room = room_of(text, column);
	SPROF_AUTO_FREE char *fitted = clean && room ? sprof_fit(clean, room) : NULL;

	put_line(text, room ? fitted : clean, "");
}

void sprof_text_end_with_function(
	const struct sprof_text *text, size_t column, const char *name, const char *suffix)
{
	SPROF_AUTO_FREE char *clean_suffix =
		suffix[0] ? sprof_clean_text(suffix, NULL) : strdup("");
	size_t tail = clean_suffix ? sprof_fit_length(clean_suffix) : 0;
	SPROF_AUTO_FREE char *fitted =
		sprof_briefs_fit(text->briefs, name, room_of(text, column + tail));

	put_line(text, fitted, clean_suffix);
}

void sprof_text_calls(char *ret, size_t size, const char *mark, uint32_t calls)
{
	if (calls > 1)
		snprintf(ret, size, "%s [x%" PRIu32 "]", mark, calls);
	else
		snprintf(ret, size, "%s", mark);
}

uint64_t sprof_text_whole(const struct sprof_text *text, uint64_t shown)
{
	uint64_t whole = sprof_metrics_get(&text->profile->whole, text->options.weight);

	return text->options.of_whole && whole ? whole : shown;
}

bool sprof_text_is_small(const struct sprof_text *text, double percent)
{
	return percent < text->options.min_percent;
}

bool sprof_text_takes(const struct sprof_text *text, struct sprof_text_rows *rows, double percent)
{
	if (sprof_text_is_small(text, percent)) {
		rows->small++;
		return false;
	}
	if (text->options.top && rows->shown == text->options.top) {
		rows->beyond++;
		return false;
	}
	rows->shown++;
	return true;
}

void sprof_text_left_out(
	const struct sprof_text *text, const char *what, size_t small, size_t beyond)
{
	if (beyond)
		sprof_out_printf(text->out, "(%zu more %s%s below the first %zu)\n", beyond, what,
			sprof_string_plural(beyond), text->options.top);
	if (small)
		sprof_out_printf(text->out, "(%zu more %s%s under %.1f %%)\n", small, what,
			sprof_string_plural(small), text->options.min_percent);
}

bool sprof_text_is_narrow(const struct sprof_text *text)
{
	return text->options.width && text->options.width < WIDE;
}
