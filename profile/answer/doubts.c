/* A table of limits. output/web/summary.js has the same limits. */
#include "profile/answer/doubts.h"

#include <math.h>

#include "profile/model/weight.h"

enum { FEW_SAMPLES = 200, VERY_FEW_SAMPLES = 100 };

struct limits {
	double said, poor;
};

static const struct limits limits[SPROF_DOUBT_COUNT] = {
	[SPROF_DOUBT_STACKS] = {1, 10},
	[SPROF_DOUBT_TICKS] = {2, 20},
	[SPROF_DOUBT_ESTIMATE] = {5, 50},
	[SPROF_DOUBT_FOLDED] = {0, 10},
	[SPROF_DOUBT_NAMES] = {0, INFINITY},
	[SPROF_DOUBT_RUN_QUEUE] = {0, INFINITY},
};

static void add(
	struct sprof_doubt *doubts, size_t *count, enum sprof_doubt_kind kind, double amount)
{
	struct sprof_doubt doubt = {.kind = kind, .amount = amount};
	size_t place = (*count)++;

	doubt.weight = amount > limits[kind].poor ? 2 : 1;
	for (; place > 0 && doubts[place - 1].weight < doubt.weight; place--)
		doubts[place] = doubts[place - 1];
	doubts[place] = doubt;
}

static uint64_t count_stacks(const struct sprof_quality *quality)
{
	uint64_t sum = 0;

	for (int i = 0; i < SPROF_END_COUNT; i++)
		sum += quality->stacks[i];
	return sum;
}

size_t sprof_doubts_find(const struct sprof_quality *quality, uint64_t samples,
	struct sprof_doubt ret[SPROF_DOUBT_COUNT])
{
	uint64_t all = sprof_quality_samples(quality);
	uint64_t stacks = count_stacks(quality), ticks = quality->ticks + quality->ticks_missed;
	double cut = sprof_percent(stacks - quality->stacks[SPROF_END_ROOT], stacks);
	double late = sprof_percent(quality->ticks_late + quality->ticks_missed, ticks);
	double folded = sprof_percent(quality->samples_folded, all);
	double estimate = sprof_percent(quality->estimated_ns, quality->running_ns);
	size_t count = 0;

	if (samples < FEW_SAMPLES)
		add(ret, &count, SPROF_DOUBT_SAMPLES, (double)samples);
	if (cut > limits[SPROF_DOUBT_STACKS].said)
		add(ret, &count, SPROF_DOUBT_STACKS, cut);
	if (late > limits[SPROF_DOUBT_TICKS].said)
		add(ret, &count, SPROF_DOUBT_TICKS, late);
	if (sprof_percent(quality->frames_unresolved, quality->frames) > 0.1)
		add(ret, &count, SPROF_DOUBT_NAMES, (double)quality->frames_unresolved);
	if (estimate > limits[SPROF_DOUBT_ESTIMATE].said)
		add(ret, &count, SPROF_DOUBT_ESTIMATE, estimate);
	if (folded > limits[SPROF_DOUBT_FOLDED].said)
		add(ret, &count, SPROF_DOUBT_FOLDED, folded);
	if (quality->schedstat_missing)
		add(ret, &count, SPROF_DOUBT_RUN_QUEUE, 1);
	return count;
}

/* The standard error of a share p of n samples is sqrt(p (1 - p) / n); twice that is 95 %. */
double sprof_doubts_uncertainty(double samples)
{
	return 60 / sqrt(samples < 1 ? 1 : samples);
}

unsigned sprof_doubts_better_rate(const struct sprof_quality *quality, uint64_t samples)
{
	static const unsigned rates[] = {999, 9999};

	if (samples >= VERY_FEW_SAMPLES)
		return 0;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		if (2 * quality->rate_hz < rates[i])
			return rates[i];
	}
	return 0;
}

double sprof_doubts_least(double share, double samples)
{
	const double z = 1.96, part = samples > 0 ? z * z / samples : 0;

	if (samples <= 0)
		return 0;
	return (share + part / 2 - sqrt(share * (1 - share) * part + part * part / 4)) / (1 + part);
}
