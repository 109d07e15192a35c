/*
 * Weights: their names, and how to read them from a row. Wall time is the sum of the classes, so
 * every report adds up.
 */
#include "profile/model/weight.h"

#include <assert.h>
#include <string.h>

static const char *const names[SPROF_WEIGHT_COUNT] = {
	[SPROF_WEIGHT_SAMPLES] = "samples",
	[SPROF_WEIGHT_WALL] = "wall",
	[SPROF_WEIGHT_USER] = "user",
	[SPROF_WEIGHT_SYS] = "sys",
	[SPROF_WEIGHT_RUNQ] = "runq",
	[SPROF_WEIGHT_WAIT] = "wait",
	[SPROF_WEIGHT_SLEEP] = "sleep",
	[SPROF_WEIGHT_DISK] = "disk",
	[SPROF_WEIGHT_STOPPED] = "stopped",
	[SPROF_WEIGHT_STOLEN] = "stolen",
};

const enum sprof_weight sprof_weight_columns[SPROF_WEIGHT_ALL_COLUMNS] = {SPROF_WEIGHT_USER,
	SPROF_WEIGHT_SYS, SPROF_WEIGHT_RUNQ, SPROF_WEIGHT_WAIT, SPROF_WEIGHT_STOLEN};

enum sprof_weight sprof_weight_of_class(enum sprof_time_class class)
{
	static const enum sprof_weight weights[SPROF_TIME_COUNT] = {
		[SPROF_TIME_USER] = SPROF_WEIGHT_USER,
		[SPROF_TIME_SYS] = SPROF_WEIGHT_SYS,
		[SPROF_TIME_RUNQ] = SPROF_WEIGHT_RUNQ,
		[SPROF_TIME_SLEEP] = SPROF_WEIGHT_SLEEP,
		[SPROF_TIME_DISK] = SPROF_WEIGHT_DISK,
		[SPROF_TIME_STOPPED] = SPROF_WEIGHT_STOPPED,
		[SPROF_TIME_STOLEN] = SPROF_WEIGHT_STOLEN,
	};

	assert(class < SPROF_TIME_COUNT);
	return weights[class];
}

const char *sprof_weight_name(enum sprof_weight weight)
{
	return sprof_weight_is_further(weight) ? "value" : names[weight];
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
	return weight != SPROF_WEIGHT_SAMPLES && !sprof_weight_is_further(weight);
}

uint64_t sprof_times_wall(const struct sprof_times *times)
{
	uint64_t sum = 0;

	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		sum += times->ns[i];
	return sum;
}

uint64_t sprof_times_own(const struct sprof_times *times)
{
	return sprof_times_wall(times) - times->ns[SPROF_TIME_RUNQ] - times->ns[SPROF_TIME_STOLEN];
}

size_t sprof_times_weights(const struct sprof_times *times)
{
	return times->ns[SPROF_TIME_STOLEN] ? SPROF_WEIGHT_COUNT : SPROF_WEIGHT_STOLEN;
}

void sprof_metrics_add(struct sprof_metrics *sum, const struct sprof_metrics *more)
{
	sum->samples += more->samples;
	sum->further += more->further;
	sprof_times_add(&sum->times, &more->times);
}

uint64_t sprof_times_wait(const struct sprof_times *times)
{
	return times->ns[SPROF_TIME_SLEEP] + times->ns[SPROF_TIME_DISK] +
		times->ns[SPROF_TIME_STOPPED];
}

uint64_t sprof_times_get(const struct sprof_times *times, enum sprof_weight weight)
{
	if (weight == SPROF_WEIGHT_WALL)
		return sprof_times_wall(times);
	if (weight == SPROF_WEIGHT_WAIT)
		return sprof_times_wait(times);
	for (int i = 0; i < SPROF_TIME_COUNT; i++) {
		if (sprof_weight_of_class((enum sprof_time_class)i) == weight)
			return times->ns[i];
	}
	assert(false);
	return 0;
}

uint64_t sprof_metrics_get(const struct sprof_metrics *metrics, enum sprof_weight weight)
{
	if (weight == SPROF_WEIGHT_SAMPLES)
		return metrics->samples;
	if (sprof_weight_is_further(weight))
		return metrics->further;
	return sprof_times_get(&metrics->times, weight);
}

double sprof_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}
