/*
 * The figures of struct sprof_quality by name: one table for all that write or read them.
 */
#ifndef SPROF_PROFILE_QUALITY_H
#define SPROF_PROFILE_QUALITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/record.h"

/* A count or a time in ns. The names are an interface: of --stats and of saved profiles. */
struct sprof_quality_field {
	const char *name; /* NULL ends the table */
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

/* Adds the figures of another run: counts and times are sums, longest times the longer one. */
void sprof_quality_add(struct sprof_quality *sum, const struct sprof_quality *more);

#endif
