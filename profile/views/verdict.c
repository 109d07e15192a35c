/* Verdicts: a one-word classification of a function's wall time, by a table of limits. */
#include "profile/views/view.h"

#include <assert.h>
#include <stddef.h>

#include "profile/answer/idle.h"

struct limit {
	enum sprof_verdict verdict;
	enum sprof_weight weight;
	unsigned above_percent;
};

static const struct limit limits[] = {
	{SPROF_VERDICT_CPU, SPROF_WEIGHT_USER, 80},
	{SPROF_VERDICT_SYSCALL, SPROF_WEIGHT_SYS, 30},
	{SPROF_VERDICT_WAIT, SPROF_WEIGHT_WAIT, 50},
	{SPROF_VERDICT_STARVED, SPROF_WEIGHT_RUNQ, 20},
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
	uint64_t wall = sprof_times_wall(times);

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		uint64_t part = sprof_times_get(times, limits[i].weight);

		if (sprof_percent(part, wall) <= limits[i].above_percent)
			continue;
		return limits[i].verdict == SPROF_VERDICT_WAIT ? kind_of(times, waiting)
							       : limits[i].verdict;
	}
	return SPROF_VERDICT_NONE;
}

void sprof_waiting_add(struct sprof_waiting *waiting, const struct sprof_profile *profile,
	const struct sprof_profile_row *row)
{
	const struct sprof_profile_context *context = &profile->contexts[row->context];
	uint64_t ns = sprof_times_wait(&row->metrics.times);

	if (sprof_profile_is_idle(context))
		waiting->idle_ns += ns;
	else if (context->kind == SPROF_WAIT_KIND_IO || context->kind == SPROF_WAIT_KIND_EVENT)
		waiting->io_ns += ns;
	else if (context->kind == SPROF_WAIT_KIND_LOCK)
		waiting->lock_ns += ns;
}

enum sprof_verdict sprof_verdict_of_view(
	const struct sprof_profile *profile, const struct sprof_view *view)
{
	struct sprof_waiting waiting = {0};
	struct sprof_metrics sum = {0};

	for (size_t i = 0; i < profile->row_count; i++) {
		if (!sprof_view_takes(view, profile, i))
			continue;
		sprof_metrics_add(&sum, &profile->rows[i].metrics);
		sprof_waiting_add(&waiting, profile, &profile->rows[i]);
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
