/*
 * The flat profile: one row per function. self and total are in the requested weight. The split is
 * always of the function's total wall time, because the verdict is about that.
 */
#include "output/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output/units.h"

/* The width of a row before the name, without optional columns. */
enum {
	INDENT = 5 + 2 * 9 + 1 + 7 + 1,
	COLUMN = 6,
	STOLEN = 2, /* its column is wider */
	SAMPLES = 8,
	THREADS = 4
};

static int width_of(enum sprof_weight column)
{
	return COLUMN - 1 + (column == SPROF_WEIGHT_STOLEN ? STOLEN : 0);
}

/* Whether rows show in how many threads a function was seen. */
static bool shows_threads(const struct sprof_text *text, bool merged)
{
	return merged && !sprof_text_is_narrow(text);
}

static size_t indent_of(const struct sprof_text *text, bool merged)
{
	const enum sprof_weight *columns;
	size_t count = sprof_text_columns(text, &columns), indent = INDENT;

	for (size_t i = 0; i < count; i++)
		indent += 1 + (size_t)width_of(columns[i]);
	indent += sprof_text_is_narrow(text) ? 0 : SAMPLES;
	return indent + (shows_threads(text, merged) ? THREADS : 0);
}

static void write_title(const struct sprof_text *text, bool merged)
{
	const enum sprof_weight *columns;
	size_t count = sprof_text_columns(text, &columns);
	char name[16];

	sprof_text_title(text, "flat profile");
	sprof_out_printf(text->out, "self%% %8s %8s", "self", "total");
	for (size_t i = 0; i < count; i++) {
		/* "stopped" would be wider than its figures. */
		snprintf(name, sizeof(name), "%.*s%%", width_of(columns[i]),
			sprof_weight_name(columns[i]));
		sprof_out_printf(text->out, " %*s", width_of(columns[i]), name);
	}
	sprof_out_printf(text->out, "%s%s %-7s function\n",
		sprof_text_is_narrow(text) ? "" : " samples",
		shows_threads(text, merged) ? " thr" : "", "verdict");
}

static void write_split(const struct sprof_text *text, const struct sprof_times *times)
{
	uint64_t wall = sprof_times_wall(times);
	const enum sprof_weight *columns;
	size_t count = sprof_text_columns(text, &columns);

	for (size_t i = 0; i < count; i++) {
		if (wall)
			sprof_out_printf(text->out, " %*.1f", width_of(columns[i]),
				sprof_percent(sprof_times_get(times, columns[i]), wall));
		else
			sprof_out_printf(text->out, " %*s", width_of(columns[i]), "-");
	}
}

/* Adds the source's place if it is known and leaves room for the name. */
static void write_function(
	const struct sprof_text *text, size_t column, const struct sprof_profile_function *function)
{
	const char *slash = function->file ? strrchr(function->file, '/') : NULL;
	char place[64] = "";
	int length = 0;

	if (function->file && function->line)
		length = snprintf(place, sizeof(place), "  %s:%" PRIu32,
			slash ? slash + 1 : function->file, function->line);
	if (length < 0 || (size_t)length >= sizeof(place) ||
		(text->options.width &&
			column + strlen(function->name) + (size_t)length > text->options.width))
		place[0] = '\0';
	sprof_text_end_with_function(text, column, function->name, place);
}

static void write_row(const struct sprof_text *text, const struct sprof_flat *flat,
	const struct sprof_flat_row *row, bool merged)
{
	enum sprof_weight weight = text->options.weight;
	uint64_t self = sprof_metrics_get(&row->self, weight);

	sprof_out_printf(text->out, "%5.1f %8s %8s",
		sprof_percent(self, sprof_metrics_get(&flat->sum, weight)),
		sprof_figure_value(text->profile, weight, self).text,
		sprof_figure_value(text->profile, weight, sprof_metrics_get(&row->total, weight))
			.text);
	write_split(text, &row->total.times);
	if (!sprof_text_is_narrow(text))
		sprof_out_printf(text->out, " %7" PRIu64, row->total.samples);
	if (shows_threads(text, merged))
		sprof_out_printf(text->out, " %3" PRIu32, row->threads);
	sprof_out_printf(text->out, " %-7s ",
		sprof_verdict_name(sprof_verdict_of(&row->total.times, &row->waiting)));
	write_function(text, indent_of(text, merged), &text->profile->functions[row->function]);
}

static void write_rows(const struct sprof_text *text, const struct sprof_flat *flat, bool merged)
{
	uint64_t whole = sprof_metrics_get(&flat->sum, text->options.weight);
	size_t shown = 0, small = 0, beyond = 0;

	for (size_t i = 0; i < flat->count; i++) {
		const struct sprof_flat_row *row = &flat->rows[i];
		uint64_t total = sprof_metrics_get(&row->total, text->options.weight);

		if (sprof_text_is_small(text, sprof_percent(total, whole))) {
			small++;
		} else if (text->options.top && shown == text->options.top) {
			beyond++;
		} else {
			write_row(text, flat, row, merged);
			shown++;
		}
	}
	sprof_text_left_out(text, "function", small, beyond);
}

static bool write_flat(
	const struct sprof_text *text, const struct sprof_view *view, struct sprof_error *err)
{
	bool merged = view->thread == SPROF_PROFILE_NONE;
	struct sprof_flat flat;

	if (!sprof_flat_build(text->profile, view, &flat, err))
		return false;
	write_title(text, merged);
	write_rows(text, &flat, merged);
	sprof_flat_finish(&flat);
	return true;
}

bool sprof_text_flat(const struct sprof_text *text, uint32_t thread, struct sprof_error *err)
{
	const struct sprof_view view = {
		.weight = text->options.weight,
		.thread = thread,
		.by_total = text->options.sort_by_total,
	};

	return write_flat(text, &view, err);
}

bool sprof_text_flat_of_group(
	const struct sprof_text *text, uint32_t group, struct sprof_error *err)
{
	const struct sprof_view view = {
		.weight = text->options.weight,
		.thread = SPROF_PROFILE_NONE,
		.groups = text->options.groups->of_row,
		.group = group,
		.by_total = text->options.sort_by_total,
	};

	return write_flat(text, &view, err);
}
