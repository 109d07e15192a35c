/*
 * The table of threads, grouped by process. When there are too many, the heaviest ones stay, in the
 * same order; the sum at the end is always that of all of them.
 */
#include "output/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "output/units.h"

enum {
	INDENT = 9 + 9 + 9 + 1 + 7 + 1, /* and the columns */
	COLUMN = 9
}; /* the width of a row before the name */

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

/* Which threads are shown; *ret_hidden is how many are not. NULL: no memory. */
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

static void write_figures(const struct sprof_text *text, const char *id,
	const struct sprof_times *times, uint64_t samples, enum sprof_verdict verdict)
{
	const enum sprof_weight *columns;
	size_t count = sprof_text_columns(text, &columns);

	sprof_out_printf(text->out, "%9s %8s", id, sprof_figure_time(sprof_times_wall(times)).text);
	for (size_t i = 0; i < count; i++)
		sprof_out_printf(text->out, " %8s",
			sprof_figure_time(sprof_times_get(times, columns[i])).text);
	sprof_out_printf(text->out, " %8" PRIu64 " %-7s ", samples, sprof_verdict_name(verdict));
}

/* Of one thread; SPROF_PROFILE_NONE: of all. */
static enum sprof_verdict verdict_of(const struct sprof_text *text, uint32_t thread)
{
	const struct sprof_view view = {.thread = thread};

	return sprof_verdict_of_view(text->profile, &view);
}

static void write_thread(const struct sprof_text *text, uint32_t index)
{
	const struct sprof_profile_thread *thread = &text->profile->threads[index];
	const enum sprof_weight *columns;
	char id[16];

	snprintf(id, sizeof(id), "%d", thread->tid);
	write_figures(text, id, &thread->times, thread->samples, verdict_of(text, index));
	sprof_text_end_with_name(
		text, INDENT + COLUMN * sprof_text_columns(text, &columns), thread->name);
}

static void write_process(const struct sprof_text *text, uint32_t index, const bool *shown)
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
}

static void write_sum(const struct sprof_text *text)
{
	struct sprof_metrics sum = {0};

	for (size_t i = 0; i < text->profile->thread_count; i++) {
		const struct sprof_profile_thread *thread = &text->profile->threads[i];

		sprof_metrics_add(&sum, &(struct sprof_metrics){.samples = thread->samples,
						.times = thread->times});
	}
	write_figures(text, "all", &sum.times, sum.samples, verdict_of(text, SPROF_PROFILE_NONE));
	sprof_out_printf(text->out, "%zu threads\n", text->profile->thread_count);
}

static void write_title(const struct sprof_text *text)
{
	const enum sprof_weight *columns;
	size_t count = sprof_text_columns(text, &columns);

	sprof_out_printf(text->out, "\nthreads\n%9s %8s", "tid", "wall");
	for (size_t i = 0; i < count; i++)
		sprof_out_printf(text->out, " %8s", sprof_weight_name(columns[i]));
	sprof_out_printf(text->out, " %8s %-7s name\n", "samples", "verdict");
}

bool sprof_text_threads(const struct sprof_text *text, struct sprof_error *err)
{
	size_t hidden = 0;
	SPROF_AUTO_FREE bool *shown = choose(text, &hidden);

	if (text->profile->foreign.kind_count)
		return true; /* another tool's: nothing is known of their time */
	if (!shown)
		return sprof_error_no_memory(err);
	write_title(text);
	for (size_t i = 0; i < text->profile->process_count; i++)
		write_process(text, (uint32_t)i, shown);
	sprof_text_left_out(text, "thread", 0, hidden);
	if (text->profile->thread_count > 1)
		write_sum(text);
	sprof_text_counters(text, shown);
	return true;
}
