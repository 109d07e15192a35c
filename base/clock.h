/* Time as nanoseconds of CLOCK_MONOTONIC, and parsing of durations. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

enum {
	SPROF_NS_PER_US = 1000,
	SPROF_NS_PER_MS = 1000 * 1000,
	SPROF_NS_PER_S = 1000 * 1000 * 1000,
};

/* CLOCK_MONOTONIC. */
uint64_t sprof_clock_now_ns(void);

/* CLOCK_REALTIME. */
uint64_t sprof_clock_real_ns(void);

/* User + system time used by this process so far. */
uint64_t sprof_clock_own_cpu_ns(void);

/*
 * Parses "10s", "500ms", "1m30s", "1h", "250us", "1.5s"; a bare number means seconds. Returns false
 * if it is not a duration, negative, longer than a hundred years, or its parts are not in
 * descending order.
 */
SPROF_MUST_USE bool sprof_duration_parse(const char *text, uint64_t *ret_ns);
