/*
 * Counts threads by lifetime, which is the wall time charged to them. The creating function comes
 * from stacks that lead to clone(2). Locations must be named. Ignores threads dropped by the memory
 * bounds.
 */
#include "profile/answer/short-threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strings.h"
#include "profile/classify/own-code.h"
#include "profile/model/stack-lines.h"

enum {
	LEAST = 100, /* threads */
	LEAST_PER_SECOND = 50
};

static const uint64_t short_ns = 50 * SPROF_NS_PER_MS;

/* The first thread of a process is not made by pthread_create(3). */
static size_t count_short(const struct sprof_profile *profile, const bool *chosen)
{
	size_t count = 0;

	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct sprof_profile_thread *thread = &profile->threads[i];

		if (chosen[i] && !thread->is_other &&
			thread->tid != profile->processes[thread->process].pid)
			count += sprof_times_wall(&thread->times) < short_ns;
	}
	return count;
}

static bool makes_threads(const char *name)
{
	name += strspn(name, "_[");
	return sprof_string_starts_with(name, "pthread_create") ||
		sprof_string_starts_with(name, "clone");
}

/* The program's function below libc's that makes a thread. NONE: the stack makes none. */
static uint32_t maker_of(const struct sprof_profile *profile, uint32_t stack)
{
	struct sprof_stack_lines at = {.stack = stack};
	const struct sprof_profile_line *line;
	bool makes = false;

	while ((line = sprof_stack_lines_next(profile, &at))) {
		if (!line->kernel && !sprof_profile_is_library(profile, line->function))
			return makes ? line->function : SPROF_PROFILE_NONE;
		makes |= makes_threads(profile->functions[line->function].name);
	}
	return SPROF_PROFILE_NONE;
}

static bool find_maker(const struct sprof_profile *profile, const bool *chosen, uint32_t *ret)
{
	SPROF_AUTO_FREE uint64_t *sums = calloc(profile->function_count + 1, sizeof(*sums));
	uint64_t most = 0;

	if (!sums)
		return false;
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		uint32_t maker;

		if (!chosen[row->thread])
			continue;
		maker = maker_of(profile, row->stack);
		if (maker == SPROF_PROFILE_NONE)
			continue;
		sums[maker] += sprof_times_wall(&row->metrics.times);
		if (sums[maker] > most) {
			most = sums[maker];
			*ret = maker;
		}
	}
	return true;
}

bool sprof_short_threads_find(
	const struct sprof_profile *profile, const bool *chosen, struct sprof_short_threads *ret)
{
	const size_t count = count_short(profile, chosen);
	const double seconds = (double)profile->quality.duration_ns / SPROF_NS_PER_S;

	*ret = (struct sprof_short_threads){.maker = SPROF_PROFILE_NONE};
	if (count < LEAST || (double)count < LEAST_PER_SECOND * seconds)
		return true;
	ret->count = count;
	return find_maker(profile, chosen, &ret->maker);
}
