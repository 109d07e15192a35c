/*
 * Turns address ranges that may overlap into a sorted table of disjoint ones, for symbols,
 * compilation units and inlined functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct sprof_range {
	uint64_t low, high; /* `high` is one past the last address */
	uint32_t value;
	uint32_t priority;
};

/* Zeroed is empty and valid. */
struct sprof_ranges {
	struct sprof_range *items;
	size_t count, capacity;
};

#define SPROF_RANGES_NONE UINT32_MAX

/*
 * Adds [low, high) -> value; ignores an empty range. Where ranges overlap, the highest priority
 * wins, then the last begin, then the highest value. Returns false if out of memory.
 */
bool sprof_ranges_add(struct sprof_ranges *ranges, const struct sprof_range *range) SPROF_MUST_USE;

/* Sorts the ranges and makes them disjoint. Call it after the last add and before the first find.
 * Returns false if out of memory. */
bool sprof_ranges_settle(struct sprof_ranges *ranges) SPROF_MUST_USE;

/* The value of the range that contains the address, or SPROF_RANGES_NONE. */
uint32_t sprof_ranges_find(const struct sprof_ranges *ranges, uint64_t address);

void sprof_ranges_finish(struct sprof_ranges *ranges);
