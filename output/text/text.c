/*
 * The report for a terminal: chooses the parts and their order. The views compute the figures;
 * separate files do the layout.
 */
#include "output/text/text.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "output/clean.h"
#include "output/units.h"
#include "profile/classify/idle.h"

/* Percent: the least share of functions and paths to show, if there are enough samples. */
static const double least_shown = 0.5;

/* Percent of the wall time: from here on stolen time gets a column. */
static const double least_stolen = 0.5;

/* with more threads, their table comes after the answer */
enum { FEW_THREADS = 8 };

/* If so, the report has nothing else. */
static bool asks_for_paths(const struct sprof_text *text)
{
	return text->options.callers || text->options.callees;
}

static bool write_views(const struct sprof_text *text, uint32_t thread, struct sprof_error *err)
{
	if (text->options.waits_only)
		return sprof_text_waits(text, thread, err);
	if (asks_for_paths(text))
		return sprof_text_paths(text, thread, err);
	return sprof_text_sites(text, thread, err) && sprof_text_flat(text, thread, err) &&
		sprof_text_waits(text, thread, err) && sprof_text_callers(text, thread, err) &&
		sprof_text_callees(text, thread, err) &&
		(!text->options.full || sprof_text_neighbours(text, thread, err));
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

/* The summary, which is of wall time: what follows are details. */
static bool write_answer(const struct sprof_text *text, struct sprof_error *err)
{
	struct sprof_output_options options = text->options;

	if (options.weight != SPROF_WEIGHT_WALL || options.groups ||
		!sprof_profile_counts_time(text->profile))
		return true;
	options.height = 0;
	options.whole_report = NULL;
	options.colour = options.utf8 = false;
	sprof_out_puts(text->out, "\n");
	return sprof_format_summary.write(text->profile, &options, text->out, err);
}

/*
 * A path with fewer samples says nothing: one in 32 of all, at most three. A short run with few
 * samples shows everything.
 */
static double least_percent(const struct sprof_profile *profile)
{
	uint64_t samples = 0, needed;

	for (size_t i = 0; i < profile->row_count; i++)
		samples += profile->rows[i].metrics.samples;
	needed = samples / 32 < 3 ? samples / 32 : 3;
	return needed && sprof_percent(needed, samples) > least_shown
		? sprof_percent(needed, samples)
		: least_shown;
}

static bool write_parts(const struct sprof_text *text, struct sprof_error *err)
{
	const struct sprof_output_options *options = &text->options;
	const enum sprof_report_mode mode = options->report_mode;
	bool threads_last;

	if (options->base_threads)
		return options->shares ? sprof_text_diff(text, err)
				       : sprof_text_comparison(text, err);
	if (options->waits_only || asks_for_paths(text))
		return (mode == SPROF_REPORT_PER_THREAD || write_merged(text, err)) &&
			(mode == SPROF_REPORT_MERGED || write_each_thread(text, err));
	threads_last = mode == SPROF_REPORT_MERGED && text->profile->thread_count > FEW_THREADS;
	sprof_text_title_of_run(text);
	if (!write_answer(text, err) || (!threads_last && !sprof_text_threads(text, err)))
		return false;
	if (options->groups && !sprof_text_groups(text, err))
		return false;
	if (mode != SPROF_REPORT_PER_THREAD && !write_merged(text, err))
		return false;
	if (threads_last && !sprof_text_threads(text, err))
		return false;
	if (mode != SPROF_REPORT_MERGED && !write_each_thread(text, err))
		return false;
	sprof_text_quality(text);
	return sprof_text_modules(text, err);
}

static bool write_text(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	SPROF_AUTO_FREE bool *idle = sprof_profile_waits_for_work(profile);
	struct sprof_text text = {
		.profile = profile, .options = *options, .out = out, .idle = idle};
	struct sprof_times times = sprof_profile_sum(profile).times;
	struct sprof_briefs *briefs;
	bool ok;

	if (!idle || !sprof_briefs_create(profile, options->short_names, &briefs))
		return sprof_error_no_memory(err);
	text.briefs = briefs;
	text.shows_stolen = sprof_percent(times.ns[SPROF_TIME_STOLEN], sprof_times_wall(&times)) >=
		least_stolen;
	if (options->min_percent < 0)
		text.options.min_percent = least_percent(profile);
	if (options->full) {
		text.options.top = 0;
		text.options.min_percent = 0;
		text.options.width = 0;
	}
	ok = write_parts(&text, err);
	sprof_briefs_destroy(briefs);
	return ok;
}

const struct sprof_format sprof_format_text = {
	.name = "text",
	.suffix = ".txt",
	.summary = "the report for a terminal: quality, threads, flat profile, callers, callees",
	.compares = true,
	.write = write_text,
};
