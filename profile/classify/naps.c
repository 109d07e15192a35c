/*
 * Finds background threads by their times. A thread that main waits for, such as a worker, is none
 * of them: its naps delay the program. Only some waits name the thread that they are for, so if
 * main mostly waits for locks or for the end of threads, all threads of the process count as
 * workers.
 */
#include "profile/classify/naps.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/idmap.h"

/* Percent of a thread's own time: from here on it does nothing but nap. */
static const double nothing_else = 95;

/* Percent of the main thread's own time: from here on it waits for other threads. */
static const double mostly = 50;

struct naps {
	const struct sprof_profile *profile;
	uint64_t *all, *naps;       /* by thread: its own time, and that of naps */
	uint64_t *locks;            /* by thread: time of waits for locks and for threads */
	bool *is_busy_with_threads; /* by process: its main thread waits for others */
	struct sprof_idmap waited;  /* ids of threads that others wait for */
};

static void add_times(struct naps *naps)
{
	const struct sprof_profile *profile = naps->profile;

	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		const enum sprof_wait_kind kind = profile->contexts[row->context].kind;
		const uint64_t ns = sprof_times_own(&row->metrics.times);

		naps->all[row->thread] += ns;
		naps->naps[row->thread] += kind == SPROF_WAIT_KIND_TIME ? ns : 0;
		naps->locks[row->thread] += kind == SPROF_WAIT_KIND_LOCK ? ns : 0;
	}
}

static bool is_main(const struct sprof_profile *profile, size_t thread)
{
	return profile->threads[thread].tid ==
		profile->processes[profile->threads[thread].process].pid;
}

static void look_at_mains(struct naps *naps)
{
	const struct sprof_profile *profile = naps->profile;

	for (size_t i = 0; i < profile->thread_count; i++) {
		if (is_main(profile, i) && sprof_percent(naps->locks[i], naps->all[i]) >= mostly)
			naps->is_busy_with_threads[profile->threads[i].process] = true;
	}
}

/* The thread of "writer (4711)"; 0: none. */
static uint64_t id_of(const char *holder)
{
	const char *bracket = holder ? strrchr(holder, '(') : NULL;

	return bracket ? strtoull(bracket + 1, NULL, 10) : 0;
}

static bool list_waited(struct naps *naps)
{
	for (size_t i = 0; i < naps->profile->context_count; i++) {
		const uint64_t id = id_of(naps->profile->contexts[i].holder);

		if (id && !sprof_idmap_put(&naps->waited, 0, id, 0))
			return false;
	}
	return true;
}

static bool is_in_background(const struct naps *naps, uint32_t thread)
{
	const struct sprof_profile_thread *known = &naps->profile->threads[thread];

	return !is_main(naps->profile, thread) && !naps->is_busy_with_threads[known->process] &&
		sprof_percent(naps->naps[thread], naps->all[thread]) >= nothing_else &&
		sprof_idmap_find(&naps->waited, 0, (uint64_t)known->tid) == SPROF_IDMAP_NONE;
}

static bool find(struct naps *naps, bool *ret)
{
	const struct sprof_profile *profile = naps->profile;

	add_times(naps);
	look_at_mains(naps);
	if (!list_waited(naps))
		return false;
	for (size_t i = 0; i < profile->row_count; i++)
		ret[i] = profile->contexts[profile->rows[i].context].kind == SPROF_WAIT_KIND_TIME &&
			is_in_background(naps, profile->rows[i].thread);
	return true;
}

bool sprof_profile_find_naps(const struct sprof_profile *profile, bool *ret)
{
	SPROF_AUTO_FREE uint64_t *all = calloc(profile->thread_count + 1, sizeof(*all));
	SPROF_AUTO_FREE uint64_t *time = calloc(profile->thread_count + 1, sizeof(*time));
	SPROF_AUTO_FREE uint64_t *locks = calloc(profile->thread_count + 1, sizeof(*locks));
	SPROF_AUTO_FREE bool *busy = calloc(profile->process_count + 1, sizeof(*busy));
	struct naps naps = {.profile = profile,
		.all = all,
		.naps = time,
		.locks = locks,
		.is_busy_with_threads = busy};
	const bool ok = all && time && locks && busy && find(&naps, ret);

	sprof_idmap_finish(&naps.waited);
	return ok;
}
