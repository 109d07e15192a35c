/* Formats figures for display. */
#pragma once

#include <stdint.h>

#include "profile/model/profile.h"

/* Buffer size for any figure below. */
enum { SPROF_FIGURE_SIZE = 32 };

struct sprof_figure {
	char text[SPROF_FIGURE_SIZE];
};

/* "1.234 s", "56.7 ms", "8.90 us", "12 ns", "0 s": at most 8 characters up to 10,000,000 s. */
struct sprof_figure sprof_figure_time(uint64_t ns);

/* "2026-11-22 12:00:01.000": a moment of CLOCK_REALTIME as local time. */
struct sprof_figure sprof_figure_moment(uint64_t real_ns);

/* "512 B", "1.5 KiB", "120 MiB": at most 8 characters. */
struct sprof_figure sprof_figure_bytes(uint64_t value);

/* A time or a number, depending on the weight's unit. */
struct sprof_figure sprof_figure_value(
	const struct sprof_profile *profile, enum sprof_weight weight, uint64_t value);
