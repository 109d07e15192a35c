/*
 * Weights: samples, and the kernel's time by class. Reports and formats show one requested weight.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"

struct sprof_metrics {
	uint64_t samples;
	struct sprof_times times;
	uint64_t further; /* value of the shown further kind, if any; see profile/model/kinds.h */
};

enum sprof_weight {
	SPROF_WEIGHT_SAMPLES,
	SPROF_WEIGHT_WALL, /* user + sys + runq + wait + stolen */
	SPROF_WEIGHT_USER,
	SPROF_WEIGHT_SYS,
	SPROF_WEIGHT_RUNQ,
	SPROF_WEIGHT_WAIT, /* sleep + disk + stopped */
	SPROF_WEIGHT_SLEEP,
	SPROF_WEIGHT_DISK,
	SPROF_WEIGHT_STOPPED,
	SPROF_WEIGHT_STOLEN, /* last, because files without stolen time omit it */
	SPROF_WEIGHT_COUNT,
	SPROF_WEIGHT_FURTHER = SPROF_WEIGHT_COUNT, /* from here on: further kinds */
};

/*
 * "samples", "wall", "user", "sys", "runq", "wait", "sleep", "disk", "stopped", "stolen"; "value"
 * for a further kind, whose name only the profile has.
 */
const char *sprof_weight_name(enum sprof_weight weight);
/* Finds a weight by name. Returns false if unknown. */
bool sprof_weight_find(const char *name, enum sprof_weight *ret_weight);
/* Returns true if the weight is in ns; false for samples and further kinds. */
bool sprof_weight_is_time(enum sprof_weight weight);
static inline bool sprof_weight_is_further(enum sprof_weight weight)
{
	return weight >= SPROF_WEIGHT_FURTHER;
}

uint64_t sprof_times_wall(const struct sprof_times *times);
/* Wall time without that in which others had the CPU: run queue and stolen time. */
uint64_t sprof_times_own(const struct sprof_times *times);
/* The number of weights, from the first, needed for these times: one less without stolen time. */
size_t sprof_times_weights(const struct sprof_times *times);
uint64_t sprof_times_wait(const struct sprof_times *times);

/*
 * The columns into which reports split wall time: user, sys, runq, wait; and stolen, if there is
 * any.
 */
enum {
	SPROF_WEIGHT_COLUMNS = 4,
	SPROF_WEIGHT_ALL_COLUMNS,
};
extern const enum sprof_weight sprof_weight_columns[SPROF_WEIGHT_ALL_COLUMNS];
enum sprof_weight sprof_weight_of_class(enum sprof_time_class class);
uint64_t sprof_times_get(const struct sprof_times *times, enum sprof_weight weight);

void sprof_metrics_add(struct sprof_metrics *sum, const struct sprof_metrics *more);
uint64_t sprof_metrics_get(const struct sprof_metrics *metrics, enum sprof_weight weight);

/* 100 * part / whole; 0 if whole is 0. */
double sprof_percent(uint64_t part, uint64_t whole);
