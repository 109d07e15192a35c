/*
 * What a frame costs. Takes stack copies of a process and walks the very same copies in three ways:
 * in each round with empty caches (files not yet opened, the copies in the order they came) and
 * with filled ones. Compares the frames. Prints JSON, times in ns per frame.
 *
 *     unwind PID COPIES PERIOD_US ROUNDS
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "attach/module/read-maps.h"
#include "base/clock.h"
#include "bench/copies.h"
#include "bench/walkers.h"

/* A copy's time with filled caches is the median of so many passes: what else the machine does goes
 * out. */
enum { EMPTY_TIMINGS = 1000, WARM_PASSES = 3, WAYS = 3, MAX_ROUNDS = 64 };

static const struct walker *const ways[WAYS] = {&walker_sprof, &walker_libunwind, &walker_libdwfl};

struct result {
	double first[MAX_ROUNDS], warm[MAX_ROUNDS];
	uint64_t frames;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SPROF_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* What two readings of the clock cost by themselves; taken off every walk. */
static uint64_t cost_of_timing(clockid_t clock)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < EMPTY_TIMINGS; i++) {
		uint64_t begin = now_ns(clock), ns = now_ns(clock) - begin;

		least = ns < least ? ns : least;
	}
	return least;
}

/* Walks all copies; the time of each goes to ret_ns. Returns the number of frames. */
static uint64_t walk_all(const struct walker *way, void *walker, struct copies *copies,
	clockid_t clock, uint64_t *ret_ns)
{
	uint64_t timing_ns = cost_of_timing(clock), frames = 0;

	for (size_t i = 0; i < copies->count; i++) {
		struct sprof_snapshot snapshot = copies_load(copies, i);
		uint64_t begin = now_ns(clock), ns;

		frames += way->walk(walker, &snapshot);
		ns = now_ns(clock) - begin;
		ret_ns[i] = ns > timing_ns ? ns - timing_ns : 0;
	}
	return frames;
}

static uint64_t median3(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

static void time_round(const struct walker *way, const struct walk_parts *parts,
	struct copies *copies, struct result *result, int round)
{
	uint64_t *ns[WARM_PASSES], first = 0, warm = 0;
	void *walker = way->create(parts);

	for (int i = 0; i < WARM_PASSES; i++) {
		ns[i] = calloc(copies->count, sizeof(**ns));
		if (!ns[i])
			exit(2);
	}
	/* A first pass can't be repeated: the thread's own CPU time leaves out what else ran. */
	result->frames = walk_all(way, walker, copies, CLOCK_THREAD_CPUTIME_ID, ns[0]);
	for (size_t i = 0; i < copies->count; i++)
		first += ns[0][i];
	for (int i = 0; i < WARM_PASSES; i++)
		walk_all(way, walker, copies, CLOCK_MONOTONIC, ns[i]);
	for (size_t i = 0; i < copies->count; i++)
		warm += median3(ns[0][i], ns[1][i], ns[2][i]);
	result->first[round] = (double)first / (double)result->frames;
	result->warm[round] = (double)warm / (double)result->frames;
	for (int i = 0; i < WARM_PASSES; i++)
		free(ns[i]);
	way->destroy(walker);
}

static void print_list(const char *name, const double *values, int count)
{
	printf("\"%s\": [", name);
	for (int i = 0; i < count; i++)
		printf("%s%.2f", i ? ", " : "", values[i]);
	printf("]");
}

static void time_ways(const struct walk_parts *parts, struct copies *copies, int rounds)
{
	static struct result results[WAYS];

	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < WAYS; i++)
			time_round(ways[i], parts, copies, &results[i], round);
	}
	for (int i = 0; i < WAYS; i++) {
		printf("\"%s\": {\"frames\": %" PRIu64 ", ", ways[i]->name, results[i].frames);
		print_list("first", results[i].first, rounds);
		printf(", ");
		print_list("warm", results[i].warm, rounds);
		printf("},\n ");
	}
}

static bool same(const struct walked *one, const struct walked *other)
{
	for (size_t i = 0; i < one->count && i < other->count; i++) {
		if (one->frames[i].module != other->frames[i].module ||
			one->frames[i].offset != other->frames[i].offset)
			return false;
	}
	return one->count == other->count;
}

/* How many stacks are complete in both ways, and how many of those have the same frames. */
static void compare(const struct walk_parts *parts, struct copies *copies, int other)
{
	static struct walked results[WAYS];
	void *walkers[WAYS] = {NULL};
	size_t complete = 0, both = 0, agreed = 0;

	walkers[0] = ways[0]->create(parts);
	walkers[other] = ways[other]->create(parts);
	for (size_t i = 0; i < copies->count; i++) {
		struct sprof_snapshot snapshot = copies_load(copies, i);

		for (int k = 0; k <= other; k += other) {
			ways[k]->walk(walkers[k], &snapshot);
			ways[k]->read(walkers[k], &results[k]);
		}
		complete += results[0].complete;
		if (!results[0].complete || !results[other].complete)
			continue;
		both++;
		agreed += same(&results[0], &results[other]);
	}
	printf("\"agree_%s\": {\"complete\": %zu, \"both\": %zu, \"same\": %zu},\n ",
		ways[other]->name, complete, both, agreed);
	ways[0]->destroy(walkers[0]);
	ways[other]->destroy(walkers[other]);
}

int main(int argc, char *argv[])
{
	struct walk_parts parts = {.modules = sprof_modules_create()};
	struct sprof_maps maps = {0};
	struct copies copies;
	int rounds;

	if (argc != 5 || !parts.modules)
		return 64;
	parts.pid = (pid_t)strtol(argv[1], NULL, 10);
	parts.maps = &maps;
	rounds = (int)strtol(argv[4], NULL, 10);
	if (!sprof_maps_read(&maps, parts.pid, parts.modules) ||
		!copies_take(&copies, parts.pid, &maps, strtoul(argv[2], NULL, 10),
			strtoul(argv[3], NULL, 10) * SPROF_NS_PER_US) ||
		/* Mapped since: the walks must know the modules too. */
		!sprof_maps_read(&maps, parts.pid, parts.modules)) {
		fprintf(stderr, "unwind: process %s can't be copied\n", argv[1]);
		return 2;
	}
	printf("{");
	time_ways(&parts, &copies, rounds < MAX_ROUNDS ? rounds : MAX_ROUNDS);
	for (int i = 1; i < WAYS; i++)
		compare(&parts, &copies, i);
	printf("\"copies\": %zu}\n", copies.count);
	copies_finish(&copies);
	sprof_maps_finish(&maps);
	sprof_modules_destroy(parts.modules);
	return 0;
}
