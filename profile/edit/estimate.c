/*
 * Distributes the running time that no sample of its thread explains. Threads that run in short
 * bursts have too few ticks for a sample each, but the samples of a pool of such threads together
 * show what the pool did.
 *
 * Within a pool, each sample should get the same time: the pool's running time divided by its
 * samples. A thread's samples have that thread's time already, which may be more or less than this.
 * Unsampled time goes to the samples that have less. So long-running threads, which have enough
 * samples, get next to nothing. Pools are tried from the narrowest to the widest: threads of a
 * process that began in the same function, the process, processes of one program. Does not handle
 * blocked time: threads of a pool wait for different things.
 */
#include "profile/edit/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "profile/classify/own-code.h"
#include "profile/model/index.h"
#include "profile/model/program.h"

/*
 * Not stolen time: nothing that a thread does explains it, and a short thread's is mostly from its
 * start.
 */
static const enum sprof_time_class running[] = {SPROF_TIME_USER, SPROF_TIME_SYS, SPROF_TIME_RUNQ};

enum { RUNNING = sizeof(running) / sizeof(running[0]), LEVELS = 3 };

/* A row with samples of a running thread. */
struct taker {
	uint64_t key; /* of its pool */
	uint32_t row;
	uint64_t samples, own_ns;
	uint64_t shared_ns; /* that it has got as an estimate */
	double weight;
};

/* A thread's row of unsampled time. */
struct giver {
	uint64_t key;
	uint32_t row;
};

struct estimate {
	struct sprof_profile *profile;
	uint32_t *starts; /* by thread: the function that it began in; NONE: not known */
	struct taker *takers;
	size_t taker_count;
	struct giver *givers;
	size_t giver_count;
};

/* The part of an estimate whose threads have one key. */
struct pool {
	struct taker *takers;
	size_t taker_count;
	const struct giver *givers;
	size_t giver_count;
};

static uint64_t running_ns(const struct sprof_profile *profile, uint32_t row)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < RUNNING; i++)
		sum += profile->rows[row].metrics.times.ns[running[i]];
	return sum;
}

static bool is_unsampled(const struct sprof_profile *profile, uint32_t stack)
{
	const struct sprof_profile_stack *node = &profile->stacks[stack];
	const struct sprof_profile_line *line;

	if (stack == SPROF_PROFILE_ROOT || node->parent != SPROF_PROFILE_ROOT)
		return false;
	line = &profile->lines[profile->locations[node->location].first_line];
	return strcmp(profile->functions[line->function].name, SPROF_PROFILE_UNSAMPLED) == 0;
}

/* The outermost function of a location that is not a library's. NONE: all are. */
static uint32_t outermost_of(const struct sprof_profile *profile, uint32_t index)
{
	const struct sprof_profile_location *location = &profile->locations[index];

	for (uint32_t i = location->line_count; i-- > 0;) {
		const struct sprof_profile_line *line = &profile->lines[location->first_line + i];

		if (!line->kernel && !sprof_profile_is_library(profile, line->function))
			return line->function;
	}
	return SPROF_PROFILE_NONE;
}

/* By stack: its outermost function that is not a library's. Returns NULL if out of memory. */
static uint32_t *find_outermost(const struct sprof_profile *profile)
{
	uint32_t *found = calloc(profile->stack_count + 1, sizeof(*found));

	if (!found)
		return NULL;
	found[SPROF_PROFILE_ROOT] = SPROF_PROFILE_NONE;
	for (size_t i = SPROF_PROFILE_ROOT + 1; i < profile->stack_count; i++) {
		const struct sprof_profile_stack *stack = &profile->stacks[i];

		found[i] = found[stack->parent];
		if (found[i] == SPROF_PROFILE_NONE)
			found[i] = outermost_of(profile, stack->location);
	}
	return found;
}

/*
 * A thread's start is that of its stack with most samples: a stack that ends early has another one.
 */
static bool find_starts(struct estimate *estimate)
{
	const struct sprof_profile *profile = estimate->profile;
	SPROF_AUTO_FREE uint32_t *outermost = find_outermost(profile);
	SPROF_AUTO_FREE uint64_t *most = calloc(profile->thread_count + 1, sizeof(*most));

	if (!outermost || !most)
		return false;
	for (size_t i = 0; i < profile->thread_count; i++)
		estimate->starts[i] = SPROF_PROFILE_NONE;
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];

		if (row->metrics.samples <= most[row->thread])
			continue;
		most[row->thread] = row->metrics.samples;
		estimate->starts[row->thread] = outermost[row->stack];
	}
	return true;
}

static void find_parties(struct estimate *estimate)
{
	const struct sprof_profile *profile = estimate->profile;

	for (uint32_t i = 0; i < profile->row_count; i++) {
		const struct sprof_profile_row *row = &profile->rows[i];
		const enum sprof_state state = profile->contexts[row->context].state;

		if (is_unsampled(profile, row->stack) && running_ns(profile, i))
			estimate->givers[estimate->giver_count++] = (struct giver){.row = i};
		else if (row->metrics.samples &&
			(state == SPROF_STATE_USER || state == SPROF_STATE_SYS))
			estimate->takers[estimate->taker_count++] = (struct taker){.row = i,
				.samples = row->metrics.samples,
				.own_ns = running_ns(profile, i)};
	}
}

/* 0: the thread has no pool of that level. */
static uint64_t key_of(const struct estimate *estimate, uint32_t row, int level)
{
	const uint32_t thread = estimate->profile->rows[row].thread;
	const uint32_t process = estimate->profile->threads[thread].process;
	char name[SPROF_PROGRAM_NAME];

	switch (level) {
	case 0:
		return estimate->starts[thread] == SPROF_PROFILE_NONE
			? 0
			: ((uint64_t)process + 1) << 32 | estimate->starts[thread];
	case 1:
		return (uint64_t)process + 1;
	default:
		sprof_program_name(estimate->profile->processes[process].name, name, sizeof(name));
		return sprof_hash_bytes(name, strlen(name), SPROF_HASH_BASIS) | 1;
	}
}

static int by_key(uint64_t left, uint32_t left_row, uint64_t right, uint32_t right_row)
{
	if (left != right)
		return left < right ? -1 : 1;
	return (left_row > right_row) - (left_row < right_row);
}

static int compare_takers(const void *left, const void *right)
{
	const struct taker *a = left, *b = right;

	return by_key(a->key, a->row, b->key, b->row);
}

static int compare_givers(const void *left, const void *right)
{
	const struct giver *a = left, *b = right;

	return by_key(a->key, a->row, b->key, b->row);
}

static bool takes(
	const struct sprof_profile *profile, const struct taker *taker, enum sprof_time_class class)
{
	const enum sprof_state state = profile->contexts[profile->rows[taker->row].context].state;

	return class == SPROF_TIME_USER   ? state == SPROF_STATE_USER
		: class == SPROF_TIME_SYS ? state == SPROF_STATE_SYS
					  : true;
}

/* The time that the row's samples should have, minus the time that they have. */
static double lack_of(const struct taker *taker, double ns_per_sample)
{
	const double lack = (double)taker->samples * ns_per_sample - (double)taker->own_ns -
		(double)taker->shared_ns;

	return lack > 0 ? lack : 0;
}

/*
 * Sets the weights of a class, and returns their sum. Where nothing lacks, samples count as they
 * are; where the class has no sample, its page faults in other code. 0: the pool has no weights.
 */
static double weigh(const struct sprof_profile *profile, struct pool *pool,
	enum sprof_time_class class, double ns_per_sample)
{
	double lacks = 0, samples = 0, faults = 0;

	for (size_t i = 0; i < pool->taker_count; i++) {
		struct taker *taker = &pool->takers[i];
		const bool is_taker = takes(profile, taker, class);

		taker->weight = is_taker ? lack_of(taker, ns_per_sample) : 0;
		lacks += taker->weight;
		samples += is_taker ? (double)taker->samples : 0;
		faults += (double)profile->rows[taker->row].metrics.times.ns[class];
	}
	if (lacks > 0)
		return lacks;
	for (size_t i = 0; i < pool->taker_count; i++) {
		struct taker *taker = &pool->takers[i];

		if (samples <= 0)
			taker->weight = (double)profile->rows[taker->row].metrics.times.ns[class];
		else if (takes(profile, taker, class))
			taker->weight = (double)taker->samples;
	}
	return samples > 0 ? samples : faults;
}

/* Moves time of a thread to its row with the stack of the taker. */
static bool move(struct sprof_profile *profile, const struct giver *giver,
	const struct taker *taker, enum sprof_time_class class, uint64_t ns)
{
	const struct sprof_profile_row *like = &profile->rows[taker->row];
	struct sprof_profile_context context = profile->contexts[like->context];
	struct sprof_profile_row key = {
		.thread = profile->rows[giver->row].thread, .stack = like->stack};
	uint32_t row;

	context.estimate = SPROF_ESTIMATE_POOL;
	if (!sprof_profile_intern_context(profile, &context, &key.context) ||
		!sprof_profile_intern_row(profile, &key, &row))
		return false;
	profile->rows[giver->row].metrics.times.ns[class] -= ns;
	profile->rows[row].metrics.times.ns[class] += ns;
	return true;
}

/*
 * Hands out all that the givers have of a class. Which thread's time goes to which stack means
 * nothing, so there are no more rows than threads and stacks.
 */
static bool hand_out(struct sprof_profile *profile, struct pool *pool, enum sprof_time_class class,
	double weight, uint64_t ns)
{
	double seen = 0;
	uint64_t given = 0;
	size_t giver = 0;

	for (size_t i = 0; i < pool->taker_count && given < ns; i++) {
		struct taker *taker = &pool->takers[i];
		uint64_t until;

		seen += taker->weight;
		until = seen >= weight ? ns : (uint64_t)((double)ns * (seen / weight));
		for (; given < until; giver += given < until) {
			const struct giver *from = &pool->givers[giver];
			const uint64_t has = profile->rows[from->row].metrics.times.ns[class];
			const uint64_t part = has < until - given ? has : until - given;

			if (part && !move(profile, from, taker, class, part))
				return false;
			given += part;
			taker->shared_ns += part;
		}
	}
	return true;
}

static bool share_pool(struct sprof_profile *profile, struct pool *pool)
{
	uint64_t left[RUNNING] = {0}, samples = 0, all = 0;

	for (size_t i = 0; i < pool->giver_count; i++) {
		for (size_t k = 0; k < RUNNING; k++)
			left[k] += profile->rows[pool->givers[i].row].metrics.times.ns[running[k]];
		all += running_ns(profile, pool->givers[i].row);
	}
	for (size_t i = 0; i < pool->taker_count; i++) {
		samples += pool->takers[i].samples;
		all += pool->takers[i].own_ns + pool->takers[i].shared_ns;
	}
	for (size_t k = 0; samples && k < RUNNING; k++) {
		const double weight =
			weigh(profile, pool, running[k], (double)all / (double)samples);

		if (weight > 0 && !hand_out(profile, pool, running[k], weight, left[k]))
			return false;
	}
	return true;
}

/* Sorts both parties by their pools, and shares out in each. */
static bool share_level(struct estimate *estimate, int level)
{
	struct taker *takers = estimate->takers, *last_taker = takers + estimate->taker_count;
	struct giver *givers = estimate->givers, *last_giver = givers + estimate->giver_count;

	for (struct taker *taker = takers; taker < last_taker; taker++)
		taker->key = key_of(estimate, taker->row, level);
	for (struct giver *giver = givers; giver < last_giver; giver++)
		giver->key = key_of(estimate, giver->row, level);
	qsort(takers, estimate->taker_count, sizeof(*takers), compare_takers);
	qsort(givers, estimate->giver_count, sizeof(*givers), compare_givers);
	while (givers < last_giver) {
		struct pool pool = {.givers = givers};
		const uint64_t key = givers->key;

		for (; givers < last_giver && givers->key == key; givers++)
			pool.giver_count++;
		for (; takers < last_taker && takers->key < key; takers++)
			;
		pool.takers = takers;
		for (; takers < last_taker && takers->key == key; takers++)
			pool.taker_count++;
		if (key && !share_pool(estimate->profile, &pool))
			return false;
	}
	return true;
}

static void sum_up(struct sprof_profile *profile)
{
	struct sprof_quality *quality = &profile->quality;

	quality->running_ns = quality->estimated_ns = 0;
	for (uint32_t i = 0; i < profile->row_count; i++) {
		const uint64_t ns = running_ns(profile, i);

		quality->running_ns += ns;
		if (profile->contexts[profile->rows[i].context].estimate)
			quality->estimated_ns += ns;
	}
}

bool sprof_estimate_take_back(struct sprof_profile *profile)
{
	const size_t count = profile->row_count;

	for (size_t i = 0; i < count; i++) {
		const struct sprof_profile_row row = profile->rows[i];
		uint32_t unsampled;

		if (!profile->contexts[row.context].estimate)
			continue;
		if (!sprof_profile_unsampled_row(profile, row.thread, &unsampled))
			return false;
		profile->rows[i].metrics = (struct sprof_metrics){0};
		sprof_metrics_add(&profile->rows[unsampled].metrics, &row.metrics);
	}
	sum_up(profile);
	return true;
}

bool sprof_estimate_share(struct sprof_profile *profile)
{
	struct estimate estimate = {.profile = profile};
	bool ok;

	if (!profile->kinds.has_times)
		return true;
	if (!sprof_estimate_take_back(profile))
		return false;
	estimate.starts = calloc(profile->thread_count + 1, sizeof(*estimate.starts));
	estimate.takers = calloc(profile->row_count + 1, sizeof(*estimate.takers));
	estimate.givers = calloc(profile->row_count + 1, sizeof(*estimate.givers));
	ok = estimate.starts && estimate.takers && estimate.givers;
	if (ok)
		find_parties(&estimate);
	if (ok && estimate.giver_count && estimate.taker_count) {
		ok = find_starts(&estimate);
		for (int level = 0; ok && level < LEVELS; level++)
			ok = share_level(&estimate, level);
	}
	free(estimate.starts);
	free(estimate.takers);
	free(estimate.givers);
	sum_up(profile);
	return ok;
}
