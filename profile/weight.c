/*
 * Weights: their names and how they are read from a row's figures. Knows that wall time is nothing
 * but the sum of the classes, so that no report can show one that doesn't add up.
 */
#include "profile/weight.h"

#include <assert.h>
#include <string.h>

static const char *const names[SPROF_WEIGHT_COUNT] = {
	[SPROF_WEIGHT_SAMPLES] = "samples",
	[SPROF_WEIGHT_WALL] = "wall",
	[SPROF_WEIGHT_USER] = "user",
	[SPROF_WEIGHT_SYS] = "sys",
	[SPROF_WEIGHT_RUNQ] = "runq",
	[SPROF_WEIGHT_WAIT] = "wait",
};

const char *sprof_weight_name(enum sprof_weight weight)
{
	assert(weight <= SPROF_WEIGHT_OTHER);
	return weight == SPROF_WEIGHT_OTHER ? "value" : names[weight];
}

bool sprof_weight_find(const char *name, enum sprof_weight *ret_weight)
{
	for (int i = 0; i < SPROF_WEIGHT_COUNT; i++) {
		if (strcmp(name, names[i]) == 0) {
			*ret_weight = (enum sprof_weight)i;
			return true;
		}
	}
	return false;
}

bool sprof_weight_is_time(enum sprof_weight weight)
{
	return weight != SPROF_WEIGHT_SAMPLES && weight != SPROF_WEIGHT_OTHER;
}

uint64_t sprof_times_wall(const struct sprof_times *times)
{
	uint64_t sum = 0;

	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		sum += times->ns[i];
	return sum;
}

void sprof_metrics_add(struct sprof_metrics *sum, const struct sprof_metrics *more)
{
	sum->samples += more->samples;
	sum->other += more->other;
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		sum->times.ns[i] += more->times.ns[i];
}

uint64_t sprof_metrics_get(const struct sprof_metrics *metrics, enum sprof_weight weight)
{
	switch (weight) {
	case SPROF_WEIGHT_SAMPLES:
		return metrics->samples;
	case SPROF_WEIGHT_WALL:
		return sprof_times_wall(&metrics->times);
	case SPROF_WEIGHT_USER:
		return metrics->times.ns[SPROF_TIME_USER];
	case SPROF_WEIGHT_SYS:
		return metrics->times.ns[SPROF_TIME_SYS];
	case SPROF_WEIGHT_RUNQ:
		return metrics->times.ns[SPROF_TIME_RUNQ];
	case SPROF_WEIGHT_WAIT:
		return metrics->times.ns[SPROF_TIME_WAIT];
	case SPROF_WEIGHT_OTHER:
		return metrics->other;
	}
	assert(false);
	return 0;
}

double sprof_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}
