/* The fields of struct sprof_quality by name: one table for all readers and writers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/record.h"

/* A count, or a time in ns. The names are an interface: --stats and saved profiles use them. */
struct sprof_quality_field {
	const char *name; /* NULL terminates the table */
	size_t offset;    /* of a uint64_t in struct sprof_quality */
};

extern const struct sprof_quality_field sprof_quality_fields[];

static inline uint64_t *sprof_quality_at(struct sprof_quality *quality, size_t offset)
{
	return (uint64_t *)((char *)quality + offset);
}

static inline uint64_t sprof_quality_get(const struct sprof_quality *quality, size_t offset)
{
	return *(const uint64_t *)((const char *)quality + offset);
}

/* Adds another run's figures: sums counts and times; for maxima, keeps the larger. */
void sprof_quality_add(struct sprof_quality *sum, const struct sprof_quality *more);
