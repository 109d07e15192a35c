/* Sorted copies, searched by bisection. */
#include "profile/critical/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/search.h"

/* How many of a thread's sleeps are looked at to find the one that a part is. */
enum { NEAR = 16 };

/* How far a sample may be from what it explains: in mean running times per sample. */
enum { FAR = 16 };

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

static void add_running_time(struct sprof_critical_places *places)
{
	const struct sprof_critical_graph *graph = places->graph;
	uint64_t all_ns = 0, before_ns = 0;

	for (size_t i = 0; i < graph->count; i++) {
		const struct sprof_critical_part *part = &graph->parts[i];

		if (!i || part->thread != part[-1].thread)
			before_ns = 0;
		places->ran_ns[i] = before_ns;
		if (part->kind != SPROF_CRITICAL_RUN)
			continue;
		before_ns += part->end_ns - part->begin_ns;
		all_ns += part->end_ns - part->begin_ns;
	}
	places->far_ns = all_ns / sprof_most(places->sample_count, (size_t)1) * FAR;
}

/* How long the thread has run until then. */
static uint64_t ran_until(
	const struct sprof_critical_places *places, uint32_t thread, uint64_t time_ns)
{
	const uint32_t index = sprof_critical_part_at(places->graph, thread, time_ns);
	const struct sprof_critical_part *part;

	if (index == SPROF_CRITICAL_NONE)
		return 0;
	part = &places->graph->parts[index];
	if (part->kind != SPROF_CRITICAL_RUN)
		return places->ran_ns[index];
	return places->ran_ns[index] +
		sprof_minus(sprof_least(time_ns, part->end_ns), part->begin_ns);
}

bool sprof_critical_places_build(const struct sprof_critical_log *log,
	const struct sprof_critical_graph *graph, struct sprof_critical_places *ret)
{
	*ret = (struct sprof_critical_places){
		.graph = graph,
		.ran_ns = calloc(graph->count + 1, sizeof(*ret->ran_ns)),
		.samples = sorted(
			log->samples, log->sample_count, sizeof(*log->samples), compare_samples),
		.sample_count = log->sample_count,
		.sleeps =
			sorted(log->sleeps, log->sleep_count, sizeof(*log->sleeps), compare_sleeps),
		.sleep_count = log->sleep_count,
	};
	if (!ret->samples || !ret->sleeps || !ret->ran_ns)
		return false;
	add_running_time(ret);
	return true;
}

void sprof_critical_places_finish(struct sprof_critical_places *places)
{
	free(places->samples);
	free(places->sleeps);
	free(places->ran_ns);
	*places = (struct sprof_critical_places){0};
}

struct sample_search {
	const struct sprof_critical_sample *samples, key;
};

static bool is_sample_until(const void *search, size_t index)
{
	const struct sample_search *wanted = search;

	return compare_samples(&wanted->samples[index], &wanted->key) <= 0;
}

/* The first sample after the time. */
static size_t sample_after(
	const struct sprof_critical_places *places, uint32_t thread, uint64_t time_ns)
{
	const struct sample_search search = {
		places->samples, {.time_ns = time_ns, .thread = thread}};

	return sprof_first_index(places->sample_count, is_sample_until, &search);
}

uint32_t sprof_critical_stack_at(const struct sprof_critical_places *places, uint32_t thread,
	uint64_t time_ns, uint64_t *ret_until_ns)
{
	const size_t at = sample_after(places, thread, time_ns);
	const struct sprof_critical_sample *next = &places->samples[at];
	const struct sprof_critical_sample *last = at ? next - 1 : NULL;
	const uint64_t now_ns = ran_until(places, thread, time_ns);
	uint64_t away_ns;

	*ret_until_ns = UINT64_MAX;
	if (at < places->sample_count && next->thread == thread) {
		away_ns = sprof_minus(ran_until(places, thread, next->time_ns), now_ns);
		if (away_ns > places->far_ns) {
			*ret_until_ns = time_ns + away_ns - places->far_ns;
			return SPROF_PROFILE_ROOT;
		}
		*ret_until_ns = next->time_ns;
		return next->stack;
	}
	if (!last || last->thread != thread)
		return SPROF_PROFILE_ROOT;
	away_ns = sprof_minus(now_ns, ran_until(places, thread, last->time_ns));
	if (away_ns >= places->far_ns)
		return SPROF_PROFILE_ROOT;
	*ret_until_ns = time_ns + places->far_ns - away_ns;
	return last->stack;
}

struct sleep_search {
	const struct sprof_critical_sleep *sleeps, key;
};

static bool is_sleep_until(const void *search, size_t index)
{
	const struct sleep_search *wanted = search;

	return compare_sleeps(&wanted->sleeps[index], &wanted->key) <= 0;
}

/* The first sleep that begins after the time. */
static size_t sleep_after(
	const struct sprof_critical_places *places, uint32_t thread, uint64_t time_ns)
{
	const struct sleep_search search = {
		places->sleeps, {.begin_ns = time_ns, .thread = thread}};

	return sprof_first_index(places->sleep_count, is_sleep_until, &search);
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
