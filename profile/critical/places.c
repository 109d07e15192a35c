/* Sorted copies, searched by bisection. */
#include "profile/critical/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"

/* How many of a thread's sleeps are looked at to find the one that a part is. */
enum { NEAR = 16 };

static int compare_samples(const void *left, const void *right)
{
	const struct sprof_critical_sample *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static int compare_sleeps(const void *left, const void *right)
{
	const struct sprof_critical_sleep *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

/* Returns NULL if out of memory. */
static void *sorted(const void *items, size_t count, size_t size,
	int (*compare)(const void *left, const void *right))
{
	void *copy = calloc(count + 1, size);

	if (!copy || !count)
		return copy;
	memcpy(copy, items, count * size);
	qsort(copy, count, size, compare);
	return copy;
}

bool sprof_critical_places_build(
	const struct sprof_critical_log *log, struct sprof_critical_places *ret)
{
	*ret = (struct sprof_critical_places){
		.samples = sorted(
			log->samples, log->sample_count, sizeof(*log->samples), compare_samples),
		.sample_count = log->sample_count,
		.sleeps =
			sorted(log->sleeps, log->sleep_count, sizeof(*log->sleeps), compare_sleeps),
		.sleep_count = log->sleep_count,
	};
	return ret->samples && ret->sleeps;
}

void sprof_critical_places_finish(struct sprof_critical_places *places)
{
	free(places->samples);
	free(places->sleeps);
	*places = (struct sprof_critical_places){0};
}

/* The first sample after the time. */
static size_t sample_after(
	const struct sprof_critical_places *places, uint32_t thread, uint64_t time_ns)
{
	const struct sprof_critical_sample key = {.time_ns = time_ns, .thread = thread};
	size_t low = 0, high = places->sample_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_samples(&places->samples[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t sprof_critical_stack_at(const struct sprof_critical_places *places, uint32_t thread,
	uint64_t time_ns, uint64_t *ret_until_ns)
{
	const size_t at = sample_after(places, thread, time_ns);

	*ret_until_ns = UINT64_MAX;
	if (at < places->sample_count && places->samples[at].thread == thread) {
		*ret_until_ns = places->samples[at].time_ns;
		return places->samples[at].stack;
	}
	if (at && places->samples[at - 1].thread == thread)
		return places->samples[at - 1].stack;
	return SPROF_PROFILE_ROOT;
}

/* The first sleep that begins after the time. */
static size_t sleep_after(
	const struct sprof_critical_places *places, uint32_t thread, uint64_t time_ns)
{
	const struct sprof_critical_sleep key = {.begin_ns = time_ns, .thread = thread};
	size_t low = 0, high = places->sleep_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_sleeps(&places->sleeps[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t sprof_critical_stack_of_sleep(
	const struct sprof_critical_places *places, const struct sprof_critical_part *part)
{
	const size_t after = sleep_after(places, part->thread, part->end_ns);
	uint32_t stack = SPROF_PROFILE_ROOT;
	uint64_t most = 0;

	for (size_t i = after; i && after - i < NEAR; i--) {
		const struct sprof_critical_sleep *sleep = &places->sleeps[i - 1];
		uint64_t common;

		if (sleep->thread != part->thread)
			break;
		if (sleep->end_ns < part->begin_ns)
			continue;
		common = 1 +
			sprof_minus(sprof_least(sleep->end_ns, part->end_ns),
				sprof_most(sleep->begin_ns, part->begin_ns));
		if (common > most) {
			most = common;
			stack = sleep->stack;
		}
	}
	return stack;
}
