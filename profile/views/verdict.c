/* Verdicts: a one-word classification of a function's wall time, by a table of limits. */
#include "profile/views/view.h"

#include <assert.h>
#include <stddef.h>

#include "profile/classify/idle.h"

struct limit {
	enum sprof_verdict verdict;
	enum sprof_weight weight;
	unsigned above_percent;
};

static const struct limit limits[] = {
	{SPROF_VERDICT_CPU, SPROF_WEIGHT_USER, 80},
	{SPROF_VERDICT_SYSCALL, SPROF_WEIGHT_SYS, 30},
	{SPROF_VERDICT_WAIT, SPROF_WEIGHT_WAIT, 50},
};

/* The main kind of the blocked time. */
static enum sprof_verdict kind_of(
	const struct sprof_times *times, const struct sprof_waiting *waiting)
{
	uint64_t half = sprof_times_wait(times) / 2;

	if (waiting && waiting->io_ns > half)
		return SPROF_VERDICT_IO;
	if (waiting && waiting->lock_ns > half)
		return SPROF_VERDICT_LOCK;
	if (waiting && waiting->idle_ns > half)
		return SPROF_VERDICT_IDLE;
	return SPROF_VERDICT_WAIT;
}

enum sprof_verdict sprof_verdict_of(
	const struct sprof_times *times, const struct sprof_waiting *waiting)
{
	/*
	 * Without run queue and stolen time: a busy machine does not change what a function does.
	 */
	uint64_t own = sprof_times_own(times);

	if (!own)
		return sprof_times_wall(times) ? SPROF_VERDICT_STARVED : SPROF_VERDICT_NONE;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		uint64_t part = sprof_times_get(times, limits[i].weight);

		if (sprof_percent(part, own) <= limits[i].above_percent)
			continue;
		return limits[i].verdict == SPROF_VERDICT_WAIT ? kind_of(times, waiting)
							       : limits[i].verdict;
	}
	return SPROF_VERDICT_NONE;
}

void sprof_waiting_add(struct sprof_waiting *waiting, const struct sprof_profile *profile,
	const struct sprof_profile_row *row, bool is_idle)
{
	const uint64_t ns = sprof_times_wait(&row->metrics.times);
	struct sprof_known_wait known;
	enum sprof_wait_kind kind;

	if (!ns)
		return;
	kind = sprof_profile_kind_of_wait(profile, row, &known);
	if (is_idle)
		waiting->idle_ns += ns;
	else if (kind == SPROF_WAIT_KIND_IO || kind == SPROF_WAIT_KIND_EVENT)
		waiting->io_ns += ns;
	else if (kind == SPROF_WAIT_KIND_LOCK)
		waiting->lock_ns += ns;
}

enum sprof_verdict sprof_verdict_of_view(
	const struct sprof_profile *profile, const struct sprof_view *view, const bool *idle)
{
	struct sprof_waiting waiting = {0};
	struct sprof_metrics sum = {0};

	for (size_t i = 0; i < profile->row_count; i++) {
		if (!sprof_view_takes(view, profile, i))
			continue;
		sprof_metrics_add(&sum, &profile->rows[i].metrics);
		sprof_waiting_add(&waiting, profile, &profile->rows[i], idle[i]);
	}
	return sprof_verdict_of(&sum.times, &waiting);
}

const char *sprof_verdict_name(enum sprof_verdict verdict)
{
	static const char *const names[SPROF_VERDICT_COUNT] = {
		[SPROF_VERDICT_NONE] = "-",
		[SPROF_VERDICT_CPU] = "cpu",
		[SPROF_VERDICT_SYSCALL] = "syscall",
		[SPROF_VERDICT_IO] = "io",
		[SPROF_VERDICT_LOCK] = "lock",
		[SPROF_VERDICT_IDLE] = "idle",
		[SPROF_VERDICT_WAIT] = "wait",
		[SPROF_VERDICT_STARVED] = "starved",
	};

	assert(verdict < SPROF_VERDICT_COUNT);
	return names[verdict];
}
