/* Clocks and durations, as nanoseconds. */
#include "base/clock.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SPROF_NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t sprof_clock_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t sprof_clock_real_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t sprof_clock_own_cpu_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static const double hundred_years_ns = 100 * 365.0 * 24 * 3600 * 1e9;

/* Parses a number and its unit; without a unit it means seconds. Returns the text after it. NULL:
 * there is no number. */
static const char *parse_part(const char *text, double *ret_ns, double *ret_unit_ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{"", 1e9},
		{"s", 1e9},
		{"ms", 1e6},
		{"us", 1e3},
		{"ns", 1},
		{"m", 60e9},
		{"h", 3600e9},
	};
	char *end;
	size_t length;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return NULL;
	*ret_ns = strtod(text, &end);
	/* Rejects what strtod(3) accepts beyond digits: exponents, hexadecimal. */
	if (end != text + strspn(text, "0123456789."))
		return NULL;
	for (length = 0; isalpha((unsigned char)end[length]);)
		length++;
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].name) != length || strncmp(end, units[i].name, length) != 0)
			continue;
		*ret_unit_ns = units[i].ns;
		*ret_ns *= units[i].ns;
		return end + length;
	}
	return NULL;
}

bool sprof_duration_parse(const char *text, uint64_t *ret_ns)
{
	double sum = 0, part, unit, last_unit = INFINITY;

	do {
		text = parse_part(text, &part, &unit);
		/* "1m30s", but not "30s1m". */
		if (!text || unit >= last_unit)
			return false;
		sum += part;
		last_unit = unit;
	} while (*text);
	if (!isfinite(sum) || sum > hundred_years_ns)
		return false;
	*ret_ns = (uint64_t)sum;
	return true;
}
