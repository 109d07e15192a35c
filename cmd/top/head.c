/*
 * Overall figures of sprof top's target. Does not handle the width of lines: the most important
 * comes first.
 */
#include "cmd/top/head.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/strings.h"
#include "output/clean.h"
#include "profile/answer/doubts.h"
#include "profile/model/weight.h"

static const char *word_of(const struct sprof_top_head *head)
{
	if (head->end)
		return head->end;
	if (head->state->is_paused)
		return "paused";
	return head->state->is_frozen ? "frozen" : "running";
}

static void put_window(const struct sprof_top_head *head, char *text, size_t size)
{
	const double seconds = (double)head->shown->duration_ns / SPROF_NS_PER_S;

	if (head->state->window == SPROF_TOP_ALL)
		snprintf(text, size, "%s %.0f s", head->is_cut ? "the last" : "all", seconds);
	else
		snprintf(text, size, "last %.1f s", seconds);
}

enum { FEW_SAMPLES = 100 };

static uint64_t samples_of(const struct sprof_profile *profile)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < profile->row_count; i++)
		samples += profile->rows[i].metrics.samples;
	return samples;
}

/* How many threads were in a class, on average. */
static double threads_in(const struct sprof_top_head *head, const struct sprof_times *times,
	enum sprof_weight weight)
{
	return sprof_top_percent(head->shown, sprof_times_get(times, weight)) / 100;
}

static void put_times(const struct sprof_top_head *head, char *text, size_t size)
{
	const struct sprof_times times = sprof_profile_sum(head->shown->profile).times;

	snprintf(text, size,
		"wall %.2f = user %.2f + sys %.2f + runq %.2f + wait %.2f   %zu thread%s",
		threads_in(head, &times, SPROF_WEIGHT_WALL),
		threads_in(head, &times, SPROF_WEIGHT_USER),
		threads_in(head, &times, SPROF_WEIGHT_SYS),
		threads_in(head, &times, SPROF_WEIGHT_RUNQ),
		threads_in(head, &times, SPROF_WEIGHT_WAIT), head->shown->latest->thread_count,
		sprof_string_plural(head->shown->latest->thread_count));
}

/* That there are few samples: by how much a share of 10 % may be off. */
static void put_doubt(const struct sprof_top_head *head, char *text, size_t size)
{
	const uint64_t samples = samples_of(head->shown->profile);

	if (samples && samples < FEW_SAMPLES)
		snprintf(text, size, ", only %" PRIu64 " sample%s (±%.0f points)", samples,
			sprof_string_plural(samples), sprof_doubts_uncertainty((double)samples));
}

static void put_quality(const struct sprof_top_head *head, char *text, size_t size)
{
	const struct sprof_quality *quality = &head->shown->profile->quality;
	uint64_t stacks = 0;

	for (int i = 0; i < SPROF_END_COUNT; i++)
		stacks += quality->stacks[i];
	snprintf(text, size,
		"%.1f samples/s, %.1f %% of stacks whole, stopped %.2f %%, sprof %.1f %% of a CPU",
		(double)quality->ticks * SPROF_NS_PER_S /
			(double)(head->shown->duration_ns + !head->shown->duration_ns),
		stacks ? sprof_percent(quality->stacks[SPROF_END_ROOT], stacks) : 100.0,
		sprof_top_percent(head->shown, quality->stop_ns_total),
		sprof_top_percent(head->shown, quality->profiler_cpu_ns));
}

void sprof_top_head_lines(
	const struct sprof_top_head *head, char lines[SPROF_TOP_HEAD_LINES][SPROF_TOP_HEAD_SIZE])
{
	char window[64] = "", doubt[64] = "", command[SPROF_TOP_HEAD_SIZE / 2];

	if (head->shown) {
		put_window(head, window, sizeof(window));
		put_doubt(head, doubt, sizeof(doubt));
	}
	sprof_clean_copy(head->command, command, sizeof(command));
	snprintf(lines[0], SPROF_TOP_HEAD_SIZE, "%s%s%s%s: %s", word_of(head),
		window[0] ? ", " : "", window, doubt, command);
	lines[1][0] = lines[2][0] = '\0';
	if (!head->shown)
		return;
	put_times(head, lines[1], SPROF_TOP_HEAD_SIZE);
	put_quality(head, lines[2], SPROF_TOP_HEAD_SIZE);
}
