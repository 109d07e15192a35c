/*
 * The report for a terminal: which parts it has, in which order, and the conventions they share.
 * The figures are the views', the layout of each part is in a file of its own.
 */
#include "output/text.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/clean.h"
#include "output/fit.h"
#include "output/units.h"

enum {
	LEAST_NAME = 8, /* characters of a name, even where the line is full */
	WIDE = 100,     /* columns, from which on rows have all that there is to say */
};

/* Percent, from which on functions and paths are shown, where there are samples enough. */
static const double least_shown = 0.5;

/* Percent of the wall time, from which on stolen time is worth a column. */
static const double least_stolen = 0.5;

void sprof_text_title(const struct sprof_text *text, const char *part)
{
	enum sprof_weight weight = text->options.weight;

	sprof_out_printf(text->out, "\n%s, by ", part);
	if (weight == SPROF_WEIGHT_OTHER)
		sprof_text_end_with_name(
			text, 0, sprof_profile_weight_name(text->profile, weight));
	else
		sprof_out_printf(text->out, "%s%s\n", sprof_weight_name(weight),
			sprof_weight_is_time(weight) ? " time" : "");
}

size_t sprof_text_columns(const struct sprof_text *text, const enum sprof_weight **ret)
{
	static const enum sprof_weight waits[] = {
		SPROF_WEIGHT_SLEEP, SPROF_WEIGHT_DISK, SPROF_WEIGHT_STOPPED};

	*ret = sprof_weight_columns;
	switch (text->profile->quality.mode) {
	case SPROF_MODE_CPU:
		return SPROF_WEIGHT_COLUMNS - 1; /* the last is wait */
	case SPROF_MODE_WAIT:
		*ret = waits;
		return sizeof(waits) / sizeof(waits[0]);
	case SPROF_MODE_WALL:
	case SPROF_MODE_COUNT:
		break;
	}
	return text->shows_stolen ? SPROF_WEIGHT_ALL_COLUMNS : SPROF_WEIGHT_COLUMNS;
}

/* How many characters of a name there is room for; 0: any number. */
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
	SPROF_AUTO_FREE char *clean = sprof_clean_text(name, NULL);
	size_t room = room_of(text, column);
	SPROF_AUTO_FREE char *fitted = clean && room ? sprof_fit(clean, room) : NULL;

	put_line(text, room ? fitted : clean, "");
}

void sprof_text_end_with_function(
	const struct sprof_text *text, size_t column, const char *name, const char *suffix)
{
	SPROF_AUTO_FREE char *clean_suffix = suffix[0] ? sprof_clean_text(suffix, NULL) : strdup("");
	size_t tail = clean_suffix ? sprof_fit_length(clean_suffix) : 0;
	SPROF_AUTO_FREE char *fitted =
		sprof_fit_function(name, text->options.short_names, room_of(text, column + tail));

	put_line(text, fitted, clean_suffix);
}

bool sprof_text_is_small(const struct sprof_text *text, double percent)
{
	return percent < text->options.min_percent;
}

void sprof_text_left_out(
	const struct sprof_text *text, const char *what, size_t small, size_t beyond)
{
	if (beyond)
		sprof_out_printf(text->out, "(%zu more %s%s below the first %zu)\n", beyond, what,
			beyond == 1 ? "" : "s", text->options.top);
	if (small)
		sprof_out_printf(text->out, "(%zu more %s%s under %.1f %%)\n", small, what,
			small == 1 ? "" : "s", text->options.min_percent);
}

bool sprof_text_is_narrow(const struct sprof_text *text)
{
	return text->options.width && text->options.width < WIDE;
}

static bool write_views(const struct sprof_text *text, uint32_t thread, struct sprof_error *err)
{
	if (text->options.waits_only)
		return sprof_text_waits(text, thread, err);
	return sprof_text_flat(text, thread, err) && sprof_text_waits(text, thread, err) &&
	       sprof_text_callers(text, thread, err) &&
	       sprof_text_callees(text, thread, err);
}

static void write_thread_title(
	const struct sprof_text *text, const struct sprof_profile_thread *thread)
{
	const struct sprof_profile_process *process = &text->profile->processes[thread->process];
	SPROF_AUTO_FREE char *name = sprof_clean_text(thread->name, NULL);

	if (!name) {
		sprof_out_fail(text->out, ENOMEM);
		return;
	}
	sprof_out_printf(text->out, "\n== thread %d %s of process %d: wall %s, %llu samples ==\n",
		thread->tid, name, process->pid,
		sprof_figure_time(sprof_times_wall(&thread->times)).text,
		(unsigned long long)thread->samples);
}

static bool write_each_thread(const struct sprof_text *text, struct sprof_error *err)
{
	for (size_t i = 0; i < text->profile->thread_count; i++) {
		write_thread_title(text, &text->profile->threads[i]);
		if (!write_views(text, (uint32_t)i, err))
			return false;
	}
	return true;
}

static bool write_merged(const struct sprof_text *text, struct sprof_error *err)
{
	if (text->profile->thread_count > 1)
		sprof_out_printf(text->out, "\n== all %zu threads together ==\n",
			text->profile->thread_count);
	return write_views(text, SPROF_PROFILE_NONE, err);
}

/*
 * A path of fewer samples than this says nothing: as many as one in 32, up to three. Of a short run with few
 * samples all is shown.
 */
static double least_percent(const struct sprof_profile *profile)
{
	uint64_t samples = 0, needed;

	for (size_t i = 0; i < profile->row_count; i++)
		samples += profile->rows[i].metrics.samples;
	needed = samples / 32 < 3 ? samples / 32 : 3;
	return needed && sprof_percent(needed, samples) > least_shown ? sprof_percent(needed, samples)
								      : least_shown;
}

static bool write_text(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct sprof_text text = {.profile = profile, .options = *options, .out = out};
	enum sprof_report_mode mode = options->report_mode;
	struct sprof_times times = sprof_profile_times(profile);

	text.shows_stolen = sprof_percent(times.ns[SPROF_TIME_STOLEN],
				    sprof_times_wall(&times)) >= least_stolen;
	if (options->min_percent < 0)
		text.options.min_percent = least_percent(profile);
	if (options->full) {
		text.options.top = 0;
		text.options.min_percent = 0;
		text.options.width = 0;
	}
	if (options->base_threads)
		return sprof_text_diff(&text, err);
	if (options->waits_only)
		return (mode == SPROF_REPORT_PER_THREAD || write_merged(&text, err)) &&
		       (mode == SPROF_REPORT_MERGED || write_each_thread(&text, err));
	sprof_text_header(&text);
	if (!sprof_text_modules(&text, err) || !sprof_text_threads(&text, err))
		return false;
	if (options->groups && !sprof_text_groups(&text, err))
		return false;
	if (mode != SPROF_REPORT_PER_THREAD && !write_merged(&text, err))
		return false;
	return mode == SPROF_REPORT_MERGED || write_each_thread(&text, err);
}

const struct sprof_format sprof_format_text = {
	.name = "text",
	.suffix = ".txt",
	.summary = "the report for a terminal: quality, threads, flat profile, callers, callees",
	.compares = true,
	.write = write_text,
};
