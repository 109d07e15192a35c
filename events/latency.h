/*
 * Thresholds of latencies as users write them.
 */
#ifndef SPROF_EVENTS_LATENCY_H
#define SPROF_EVENTS_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/*
 * Parses "4ms", "1.5us", "100ns", "2s". False: anything else. There must be a unit, because the
 * tools that users come from take a bare number for different ones; a part of a nanosecond and what
 * doesn't fit 64 bits are refused too.
 */
SPROF_MUST_USE bool sprof_latency_parse(const char *text, size_t length, uint64_t *ret_ns);

#endif
