/*
 * The ranks of a parallel job: a table of where the time of each went, then the flat profile of
 * each. A rank is all processes that have it; what has none is one more group.
 */
#include "output/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/clean.h"
#include "output/units.h"

struct rank {
	const char *name; /* NULL: none */
	const char *host; /* of its first process */
	struct sprof_metrics sum;
	size_t threads;
};

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static const char *rank_of(const struct sprof_profile *profile, size_t thread)
{
	return profile->processes[profile->threads[thread].process].rank;
}

/* By number where they are numbers, else as text; none at all comes last. */
static int compare(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;
	long x = a->name ? atol(a->name) : 0, y = b->name ? atol(b->name) : 0;

	if (!a->name || !b->name)
		return !a->name - !b->name;
	return x != y ? (x > y) - (x < y) : strcmp(a->name, b->name);
}

static void add_thread(
	struct rank *rank, const struct sprof_profile *profile, size_t index)
{
	const struct sprof_profile_thread *thread = &profile->threads[index];
	const struct sprof_metrics metrics = {.samples = thread->samples, .times = thread->times};

	sprof_metrics_add(&rank->sum, &metrics);
	rank->threads++;
	if (!rank->host)
		rank->host = profile->processes[thread->process].host;
}

/* NULL: no memory. */
static struct rank *find_ranks(const struct sprof_profile *profile, size_t *ret_count)
{
	struct rank *ranks = calloc(profile->process_count + 1, sizeof(*ranks));
	size_t count = 0;

	for (size_t i = 0; ranks && i < profile->thread_count; i++) {
		const char *name = rank_of(profile, i);
		size_t k = 0;

		while (k < count && !is_same(ranks[k].name, name))
			k++;
		if (k == count)
			ranks[count++].name = name;
		add_thread(&ranks[k], profile, i);
	}
	if (ranks)
		qsort(ranks, count, sizeof(*ranks), compare);
	*ret_count = count;
	return ranks;
}

static void write_row(const struct sprof_text *text, const struct rank *rank)
{
	SPROF_AUTO_FREE char *name = sprof_clean_text(rank->name ? rank->name : "-", NULL);
	const struct sprof_times *times = &rank->sum.times;

	if (!name) {
		sprof_out_fail(text->out, ENOMEM);
		return;
	}
	sprof_out_printf(
		text->out, "%9s %8s", name, sprof_figure_time(sprof_times_wall(times)).text);
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		sprof_out_printf(text->out, " %8s", sprof_figure_time(times->ns[i]).text);
	sprof_out_printf(text->out, " %8" PRIu64 " %7zu  ", rank->sum.samples, rank->threads);
	sprof_text_end_with_name(text, 9 + 5 * 9 + 9 + 8 + 2, rank->host ? rank->host : "-");
}

static bool write_flat(
	const struct sprof_text *text, const struct rank *rank, struct sprof_error *err)
{
	const struct sprof_profile *profile = text->profile;
	SPROF_AUTO_FREE bool *chosen = calloc(profile->thread_count + 1, sizeof(*chosen));
	SPROF_AUTO_FREE char *name = sprof_clean_text(rank->name ? rank->name : "-", NULL);

	if (!chosen || !name)
		return sprof_error_no_memory(err);
	for (size_t i = 0; i < profile->thread_count; i++)
		chosen[i] = is_same(rank_of(profile, i), rank->name);
	sprof_out_printf(text->out, "\n== rank %s ==\n", name);
	return sprof_text_flat_of(text, SPROF_PROFILE_NONE, chosen, err);
}

bool sprof_text_ranks(const struct sprof_text *text, struct sprof_error *err)
{
	size_t count = 0;
	SPROF_AUTO_FREE struct rank *ranks = find_ranks(text->profile, &count);

	if (!ranks)
		return sprof_error_no_memory(err);
	sprof_out_printf(text->out, "\nranks\n%9s %8s %8s %8s %8s %8s %8s %7s  host\n", "rank", "wall",
		"user", "sys", "runq", "wait", "samples", "threads");
	for (size_t i = 0; i < count; i++)
		write_row(text, &ranks[i]);
	for (size_t i = 0; i < count; i++) {
		if (!write_flat(text, &ranks[i], err))
			return false;
	}
	return true;
}
