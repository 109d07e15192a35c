/* Parses latency thresholds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/*
 * Parses "4ms", "1.5us", "100ns", "2s". Returns false for anything else: a number without a unit
 * (other tools use different default units), fractions of a nanosecond, and values over 64 bits.
 */
SPROF_MUST_USE bool sprof_latency_parse(const char *text, size_t length, uint64_t *ret_ns);
