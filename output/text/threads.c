/*
 * The table of threads, grouped by process. If there are too many, the heaviest are kept, in the
 * same order. Sums of a process and of the whole always include all threads.
 */
#include "output/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static uint64_t weight_of(const struct sprof_text *text, const struct sprof_profile_thread *thread)
{
	struct sprof_metrics metrics = {.samples = thread->samples, .times = thread->times};

	return sprof_metrics_get(&metrics, text->options.weight);
}

struct ranked {
	uint64_t weight;
	size_t thread;
};

static int compare(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

/* Chooses the shown threads; *ret_hidden counts the others. Returns NULL if out of memory. */
static bool *choose(const struct sprof_text *text, size_t *ret_hidden)
{
	size_t count = text->profile->thread_count;
	size_t top = text->options.top && text->options.top < count ? text->options.top : count;
	SPROF_AUTO_FREE struct ranked *ranking = calloc(count + 1, sizeof(*ranking));
	bool *shown = calloc(count + 1, sizeof(*shown));

	if (!ranking || !shown) {
		free(shown);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		ranking[i] = (struct ranked){
			.weight = weight_of(text, &text->profile->threads[i]), .thread = i};
	qsort(ranking, count, sizeof(*ranking), compare);
	for (size_t i = 0; i < top; i++)
		shown[ranking[i].thread] = true;
	*ret_hidden = count - top;
	return shown;
}

/* Without an id: the titles. Returns the number of characters. */
static size_t write_figures(const struct sprof_text *text, const char *id,
	const struct sprof_times *times, uint64_t samples, enum sprof_verdict verdict)
{
	const enum sprof_weight *columns;
	size_t count = sprof_text_columns(text, &columns);
	struct sprof_row row = {.out = text->out, .is_head = !id};

	sprof_row_text(&row, "tid", 9, id);
	sprof_row_time(&row, "wall", 8, sprof_times_wall(times));
	for (size_t i = 0; i < count; i++)
		sprof_row_time(
			&row, sprof_weight_name(columns[i]), 8, sprof_times_get(times, columns[i]));
	if (!sprof_text_is_narrow(text))
		sprof_row_count(&row, "samples", 8, samples);
	sprof_row_text(&row, "verdict", -7, sprof_verdict_name(verdict));
	sprof_row_gap(&row, 1, "name");
	return row.length;
}

static void write_thread(const struct sprof_text *text, uint32_t index)
{
	const struct sprof_profile_thread *thread = &text->profile->threads[index];
	const struct sprof_view view = {.thread = index};
	char id[16];

	snprintf(id, sizeof(id), "%d", thread->tid);
	sprof_text_end_with_name(text,
		write_figures(text, id, &thread->times, thread->samples,
			sprof_verdict_of_view(text->profile, &view, text->idle)),
		thread->name);
}

/* Writes the sum of the chosen threads, of one process or of all. */
static void write_sum(
	const struct sprof_text *text, const bool *chosen, size_t count, const char *of)
{
	const struct sprof_view view = {.thread = SPROF_PROFILE_NONE, .chosen = chosen};
	struct sprof_metrics sum = {0};

	for (size_t i = 0; i < text->profile->thread_count; i++) {
		const struct sprof_profile_thread *thread = &text->profile->threads[i];

		if (chosen[i])
			sprof_metrics_add(&sum,
				&(struct sprof_metrics){
					.samples = thread->samples, .times = thread->times});
	}
	write_figures(text, "all", &sum.times, sum.samples,
		sprof_verdict_of_view(text->profile, &view, text->idle));
	sprof_out_printf(text->out, "%zu threads%s\n", count, of);
}

/* A single-threaded process needs no sum, nor does the only process. */
static void write_process_sum(const struct sprof_text *text, uint32_t index, bool *chosen)
{
	const struct sprof_profile *profile = text->profile;
	size_t count = 0;
	char of[32];

	if (profile->process_count < 2)
		return;
	for (size_t i = 0; i < profile->thread_count; i++) {
		chosen[i] = profile->threads[i].process == index;
		count += chosen[i];
	}
	snprintf(of, sizeof(of), " of process %d", profile->processes[index].pid);
	if (count > 1)
		write_sum(text, chosen, count, of);
}

static void write_whole_sum(const struct sprof_text *text, bool *chosen)
{
	size_t count = text->profile->thread_count;

	memset(chosen, true, count);
	if (count > 1)
		write_sum(text, chosen, count, "");
}

static void write_process(
	const struct sprof_text *text, uint32_t index, const bool *shown, bool *chosen)
{
	const struct sprof_profile *profile = text->profile;
	const struct sprof_profile_process *process = &profile->processes[index];
	bool titled = false;

	for (size_t i = 0; i < profile->thread_count; i++) {
		if (!shown[i] || profile->threads[i].process != index)
			continue;
		if (!titled) {
			char title[32];
			int length = snprintf(title, sizeof(title), "process %d  ", process->pid);

			sprof_out_puts(text->out, title);
			sprof_text_end_with_name(text, (size_t)length, process->name);
			titled = true;
		}
		write_thread(text, (uint32_t)i);
	}
	if (titled)
		write_process_sum(text, index, chosen);
}

bool sprof_text_threads(const struct sprof_text *text, struct sprof_error *err)
{
	size_t hidden = 0;
	SPROF_AUTO_FREE bool *shown = choose(text, &hidden);
	SPROF_AUTO_FREE bool *chosen = calloc(text->profile->thread_count + 1, sizeof(*chosen));

	if (!sprof_profile_counts_time(text->profile))
		return true;
	if (!shown || !chosen)
		return sprof_error_no_memory(err);
	sprof_out_puts(text->out, "\nthreads\n");
	write_figures(text, NULL, &(struct sprof_times){0}, 0, SPROF_VERDICT_NONE);
	for (size_t i = 0; i < text->profile->process_count; i++)
		write_process(text, (uint32_t)i, shown, chosen);
	sprof_text_left_out(text, "thread", 0, hidden);
	write_whole_sum(text, chosen);
	sprof_text_counters(text, shown);
	return true;
}
