/*
 * The summary on one screen: a sentence for each program that used noticeable time, where the time
 * went, the heaviest functions, paths and waits, limits of accuracy, and what to run next. Shares
 * are of busy time. The lines fit the screen in number and width.
 */
#include "output/summary/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/fit.h"
#include "output/units.h"

enum {
	WIDTH = 80,
	LEAST_WIDTH = 40,
	PROGRAMS = 5,
	FEW_LINES = 12, /* fewer lines have room for little more than the verdict */
	SENTENCE = 3,   /* lines */
	TABLES = 3,
	AIRY = 36, /* lines that have room for everything, with blank ones */
	SPARE = 3, /* free lines of the screen: for the prompt and earlier output */
};

/* Percent of the busy time: from here on the summary says how much was not sampled. */
static const double least_unsampled = 2;

struct time_class {
	enum sprof_weight weight;
	const char *colour, *block;
	char letter;
};

static const struct time_class classes[] = {
	{SPROF_WEIGHT_USER, "\033[32m", "█", '#'},
	{SPROF_WEIGHT_SYS, "\033[31m", "▓", '='},
	{SPROF_WEIGHT_RUNQ, "\033[33m", "▒", '~'},
	{SPROF_WEIGHT_WAIT, "\033[34m", "░", '.'},
	{SPROF_WEIGHT_STOLEN, "\033[35m", "?", '?'},
};

enum { CLASSES = sizeof(classes) / sizeof(classes[0]) };

/* "3.01 s at 99 Hz: 1 process, 6 threads, 1783 samples" */
static void put_title(struct sprof_summary *summary)
{
	const struct sprof_quality *quality = &summary->profile->quality;
	const uint64_t samples = sprof_quality_samples(quality);
	const size_t processes = summary->profile->process_count;
	const size_t threads = summary->profile->thread_count;
	SPROF_AUTO_FREE char *text = sprof_string_print(
		"%s at %.6g Hz: %zu process%s, %zu thread%s, %" PRIu64 " sample%s",
		sprof_figure_time(quality->duration_ns).text, quality->rate_hz, processes,
		processes == 1 ? "" : "es", threads, sprof_string_plural(threads), samples,
		sprof_string_plural(samples));

	sprof_summary_put_text(summary, "sprof", text, 1);
}

/* A sentence that is too long keeps one cause. Returns NULL if out of memory. */
static char *fit_sentence(
	const struct sprof_summary *summary, const struct sprof_program *program, size_t lines)
{
	char *sentence = sprof_summary_sentence(
		summary->profile, program, 2, sprof_summary_room(summary) / 2);

	if (!sentence || sprof_summary_count_lines(summary, sentence) <= lines)
		return sentence;
	free(sentence);
	return sprof_summary_sentence(
		summary->profile, program, 1, sprof_summary_room(summary) / 2);
}

/* "3 more processes, 1.2 s" */
static void put_others(struct sprof_summary *summary, size_t processes, uint64_t ns)
{
	SPROF_AUTO_FREE char *more = sprof_string_print("%zu more process%s, %s", processes,
		processes == 1 ? "" : "es", sprof_figure_time(ns).text);

	sprof_summary_put_text(summary, "", more, 1);
}

static void put_queue(struct sprof_summary *summary)
{
	SPROF_AUTO_FREE char *queue = sprof_summary_queue(summary->profile, &summary->answer);

	sprof_summary_put_text(summary, "", queue, SENTENCE - 1);
}

/* Writes a sentence for each program that matters, and one line for all others. */
static void put_programs(struct sprof_summary *summary, size_t most)
{
	const struct sprof_answer *answer = &summary->answer;
	size_t shown = answer->mattering < most ? answer->mattering : most, processes = 0;
	size_t lines =
		summary->lines >= FEW_LINES && (most > 2 || shown == 1) ? SENTENCE : SENTENCE - 1;
	uint64_t rest_ns = 0;

	for (size_t i = 0; i < answer->count; i++) {
		const struct sprof_program *program = &answer->programs[i];
		SPROF_AUTO_FREE char *sentence = NULL;

		if (i >= shown) {
			processes += program->processes;
			rest_ns += sprof_times_wall(&program->busy) + program->unsampled_ns;
			continue;
		}
		sentence = fit_sentence(summary, program, lines);
		sprof_summary_put_text(summary, i ? "" : "verdict", sentence, lines);
	}
	if (processes && summary->lines >= FEW_LINES / 2)
		put_others(summary, processes, rest_ns);
	if (summary->lines >= FEW_LINES)
		put_queue(summary);
}

/* Each class gets characters in proportion to its share, rounded so that they fill the bar. */
static void put_bar(
	const struct sprof_summary *summary, const struct sprof_times *times, size_t length)
{
	uint64_t wall = sprof_times_wall(times), sum = 0;
	size_t at = 0;

	for (size_t i = 0; i < CLASSES; i++) {
		const struct time_class *class = &classes[i];
		size_t end;

		sum += sprof_times_get(times, class->weight);
		end = wall ? (size_t)((double)length * (double)sum / (double)wall + 0.5) : 0;
		sprof_out_puts(summary->out, sprof_summary_style(summary, class->colour));
		for (; at < end && at < length; at++) {
			if (summary->options.utf8)
				sprof_out_puts(summary->out, class->block);
			else
				sprof_out_fill(summary->out, class->letter, 1);
		}
		sprof_out_puts(summary->out, sprof_summary_style(summary, SPROF_SUMMARY_PLAIN));
	}
	sprof_out_fill(summary->out, ' ', length - at + 1);
}

/* "user 17 %  sys 3 %  runq 1 %  wait 79 %"; the figures add up to 100. */
static char *legend(const struct sprof_times *times)
{
	uint64_t wall = sprof_times_wall(times), sum = 0;
	char *text = NULL;
	size_t size = 0;
	FILE *words = open_memstream(&text, &size);
	int before = 0;

	for (size_t i = 0; words && i < CLASSES; i++) {
		uint64_t part = sprof_times_get(times, classes[i].weight);
		int end;

		sum += part;
		end = (int)(sprof_percent(sum, wall) + 0.5);
		if (classes[i].weight != SPROF_WEIGHT_STOLEN || end > before)
			fprintf(words, " %s %d %% ", sprof_weight_name(classes[i].weight),
				end - before);
		before = end;
	}
	return sprof_string_close(words, &text, true);
}

/* Percent of the time: from here on, waiting for a CPU wants an explanation. */
static const double much_runq = 5;

static void use_terms(
	struct sprof_summary *summary, const struct sprof_times *times, const char *figures)
{
	if (sprof_percent(times->ns[SPROF_TIME_RUNQ], sprof_times_wall(times)) >= much_runq)
		sprof_summary_use(summary, SPROF_SUMMARY_RUNQ);
	if (strstr(figures, "stolen"))
		sprof_summary_use(summary, SPROF_SUMMARY_STOLEN);
}

/* "shares are of 6.4 s, 1.4 of 2 CPUs busy on average; idle 2.5 s, in no sample 1.2 s" */
static void put_whole(struct sprof_summary *summary)
{
	const struct sprof_answer *answer = &summary->answer;
	const struct sprof_quality *quality = &summary->profile->quality;
	const struct sprof_times times = sprof_profile_sum(summary->profile).times;
	const bool shows_unsampled =
		sprof_percent(answer->unsampled_ns, summary->whole) >= least_unsampled;
	const bool shows_idle = summary->view.left_out &&
		sprof_percent(answer->idle_ns + answer->unsampled_ns, summary->whole) >=
			least_unsampled;
	char busy[64] = "", idle[64] = "", unsampled[64] = "";
	SPROF_AUTO_FREE char *text = NULL;

	if (quality->cpus && quality->duration_ns)
		snprintf(busy, sizeof(busy), ", %.1f of %" PRIu64 " CPUs busy on average",
			(double)(times.ns[SPROF_TIME_USER] + times.ns[SPROF_TIME_SYS]) /
				(double)quality->duration_ns,
			(uint64_t)quality->cpus);
	if (shows_idle)
		snprintf(idle, sizeof(idle), "; idle %s", sprof_figure_time(answer->idle_ns).text);
	if (shows_idle && shows_unsampled)
		snprintf(unsampled, sizeof(unsampled), ", in no sample %s",
			sprof_figure_time(answer->unsampled_ns).text);
	text = sprof_string_print("shares are of %s%s%s%s", sprof_figure_time(summary->whole).text,
		busy, idle, unsampled);
	if (unsampled[0])
		sprof_summary_use(summary, SPROF_SUMMARY_UNSAMPLED);
	sprof_summary_put_text(summary, "", text, 2);
}

/* Writes the bar, its legend, and the part of the wall time that is not in it. */
static void put_times(struct sprof_summary *summary)
{
	const struct sprof_answer *answer = &summary->answer;
	struct sprof_times times =
		summary->view.left_out ? answer->busy : sprof_profile_sum(summary->profile).times;
	SPROF_AUTO_FREE char *figures = legend(&times);
	SPROF_AUTO_FREE char *words =
		figures ? sprof_fit(figures, sprof_summary_room(summary)) : NULL;
	size_t length = words ? sprof_fit_length(words) : 0;

	if (!words) {
		sprof_out_fail(summary->out, ENOMEM);
		return;
	}
	sprof_summary_put_label(summary, "time");
	if (sprof_summary_room(summary) > length + 1)
		put_bar(summary, &times, sprof_summary_room(summary) - length - 1);
	sprof_out_puts(summary->out, words + 1);
	sprof_summary_end_line(summary);
	use_terms(summary, &times, figures);
	if (summary->lines >= FEW_LINES)
		put_whole(summary);
}

/* If the run was too short, this is the whole summary. */
static void put_too_short(struct sprof_summary *summary)
{
	SPROF_AUTO_FREE char *text = sprof_summary_too_short(summary->profile);

	sprof_summary_put_text(summary, "verdict", text, SENTENCE - 1);
}

static bool put_idle(struct sprof_summary *summary, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *text = sprof_summary_idle(summary, err);

	if (text)
		sprof_summary_put_text(summary, "verdict", text, SENTENCE - 1);
	return text;
}

static bool put_tables(struct sprof_summary *summary, size_t other, struct sprof_error *err)
{
	sprof_summary_put_gap(summary);
	if (!sprof_summary_put_functions(
		    summary, sprof_summary_rows_left(summary, TABLES, other), err))
		return false;
	sprof_summary_put_gap(summary);
	if (!sprof_summary_put_paths(
		    summary, sprof_summary_rows_left(summary, TABLES - 1, other), err))
		return false;
	sprof_summary_put_gap(summary);
	if (!sprof_summary_put_waits(
		    summary, sprof_summary_rows_left(summary, TABLES - 2, other), err))
		return false;
	sprof_summary_put_gap(summary);
	return true;
}

static size_t count_remedy(const struct sprof_summary *summary)
{
	const size_t lines =
		summary->remedy ? sprof_summary_count_lines(summary, summary->remedy) : 0;

	return lines < SPROF_SUMMARY_REMEDY ? lines : SPROF_SUMMARY_REMEDY;
}

static bool put_all(struct sprof_summary *summary, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *doubts = sprof_summary_doubts(summary->profile,
		summary->view.left_out ? summary->answer.samples
				       : sprof_quality_samples(&summary->profile->quality),
		sprof_summary_room(summary));
	size_t other = (doubts && doubts[0] ? 1 : 0) + (summary->options.whole_report ? 1 : 0) +
		(summary->question ? 1 : 0) + count_remedy(summary) +
		(sprof_summary_has_cost(summary->profile) ? 2 : 0) +
		sprof_summary_count_critical(summary);
	size_t programs = summary->is_airy ? PROGRAMS : summary->lines < FEW_LINES ? 1 : 2;

	if (!doubts)
		return sprof_error_no_memory(err);
	put_title(summary);
	if (!sprof_summary_put_faults(summary, err))
		return false;
	if (sprof_summary_knows_nothing(summary)) {
		put_too_short(summary);
		sprof_summary_put_critical(summary);
		if (sprof_quality_samples(&summary->profile->quality))
			sprof_summary_put_next(summary);
		return true;
	}
	if (summary->view.left_out)
		put_programs(summary, programs);
	else if (!put_idle(summary, err))
		return false;
	put_times(summary);
	if (!put_tables(summary, other + (summary->terms ? 1 : 0), err))
		return false;
	sprof_summary_put_critical(summary);
	sprof_summary_put_legend(summary);
	if (doubts[0])
		sprof_summary_put_text(summary, "trust", doubts, 1);
	sprof_summary_put_cost(summary);
	sprof_summary_put_next(summary);
	return true;
}

static void settle_screen(struct sprof_summary *summary)
{
	summary->width = summary->options.width ? summary->options.width : WIDTH;
	if (summary->width < LEAST_WIDTH)
		summary->width = LEAST_WIDTH;
	summary->lines = SIZE_MAX;
	if (summary->options.height)
		summary->lines =
			summary->options.height > SPARE ? summary->options.height - SPARE : 1;
	summary->is_airy = summary->lines >= AIRY;
}

void sprof_summary_settle_view(struct sprof_summary *summary)
{
	const struct sprof_answer *answer = &summary->answer;
	uint64_t busy = sprof_times_wall(&answer->busy);

	summary->view = (struct sprof_view){.weight = SPROF_WEIGHT_WALL,
		.thread = SPROF_PROFILE_NONE,
		.left_out = answer->left_out,
		.joins_alike = true};
	summary->whole = busy;
	if (answer->mattering)
		return;
	summary->view.left_out = NULL;
	summary->whole = busy + answer->idle_ns + answer->unsampled_ns;
}

static bool write_summary(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err)
{
	struct sprof_summary summary = {.profile = profile, .options = *options, .out = out};
	bool ok = true;

	settle_screen(&summary);
	if (!sprof_profile_counts_time(profile))
		return sprof_summary_put_counts(&summary, err);
	if (!sprof_answer_build(profile, PROGRAMS, &summary.answer, err))
		return false;
	if (profile->critical &&
		!sprof_critical_find(profile, profile->critical, &summary.critical, err)) {
		sprof_answer_finish(&summary.answer);
		sprof_critical_finish(&summary.critical);
		return false;
	}
	sprof_summary_settle_view(&summary);
	if (!sprof_summary_knows_nothing(&summary)) {
		if (options->whole_report)
			sprof_summary_find_question(&summary);
		ok = summary.lines < FEW_LINES || sprof_summary_find_remedy(&summary) ||
			sprof_error_no_memory(err);
	}
	ok = ok && put_all(&summary, err);
	free(summary.question);
	free(summary.remedy);
	sprof_answer_finish(&summary.answer);
	sprof_critical_finish(&summary.critical);
	return ok;
}

const struct sprof_format sprof_format_summary = {
	.name = "summary",
	.suffix = ".summary.txt",
	.summary = "the answer on one screen: a verdict, the heaviest functions, paths, waits",
	.write = write_summary,
};
