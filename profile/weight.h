/*
 * The weights of a stack: its samples, and the time that the kernel accounted to its thread, by
 * class. Reports and formats show one requested weight.
 */
#ifndef SPROF_PROFILE_WEIGHT_H
#define SPROF_PROFILE_WEIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"

struct sprof_metrics {
	uint64_t samples;
	struct sprof_times times;
	uint64_t further; /* of the shown further kind, if there is one; see profile/kinds.h */
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
	SPROF_WEIGHT_STOLEN, /* the last one: files without stolen time leave it out */
	SPROF_WEIGHT_COUNT,
	SPROF_WEIGHT_FURTHER = SPROF_WEIGHT_COUNT, /* and above: further kinds */
};

/*
 * "samples", "wall", "user", "sys", "runq", "wait", "sleep", "disk", "stopped", "stolen"; "value"
 * for a further kind: the profile has its own name.
 */
const char *sprof_weight_name(enum sprof_weight weight);
/* The weight of that name. False: there is none. */
bool sprof_weight_find(const char *name, enum sprof_weight *ret_weight);
/* True: the weight is in ns. False: it counts samples, or is a further kind. */
bool sprof_weight_is_time(enum sprof_weight weight);
static inline bool sprof_weight_is_further(enum sprof_weight weight)
{
	return weight >= SPROF_WEIGHT_FURTHER;
}

uint64_t sprof_times_wall(const struct sprof_times *times);
/* The number of weights, from the first, that cover the times: one less without stolen time. */
size_t sprof_times_weights(const struct sprof_times *times);
uint64_t sprof_times_wait(const struct sprof_times *times);

/*
 * The columns that reports split wall time into: user, sys, runq, wait; and stolen, if there is
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

#endif
