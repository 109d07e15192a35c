/*
 * Clocks and durations. Knows nothing of ticks or sampling.
 */
#include "base/clock.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

uint64_t sprof_clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SPROF_NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t sprof_clock_own_cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * SPROF_NS_PER_S + (uint64_t)used.tv_nsec;
}

bool sprof_duration_parse(const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"m", 60e9}, {"h", 3600e9},
	};
	static const double hundred_years = 100 * 365.0 * 24 * 3600 * 1e9;
	char *end;
	double value;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return false;
	value = strtod(text, &end);
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		value *= units[i].ns;
		if (!isfinite(value) || value > hundred_years)
			return false;
		*ret_ns = (uint64_t)value;
		return true;
	}
	return false;
}
