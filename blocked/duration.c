/*
 * Writes a duration with two digits, without minutes and hours: the text is for grouping, not for
 * exact reading.
 */
#include "blocked/duration.h"

#include <stdio.h>

#include "base/clock.h"

void sprof_blocked_duration(uint64_t ns, char *buffer, size_t size)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {
		{SPROF_NS_PER_S, "s"}, {SPROF_NS_PER_MS, "ms"}, {SPROF_NS_PER_US, "us"}, {1, "ns"}};
	size_t unit = 0;
	uint64_t step = 1;

	while (ns / step >= 100)
		step *= 10;
	ns = (ns + step / 2) / step * step;
	while (unit < 3 && ns < units[unit].ns)
		unit++;
	snprintf(buffer, size, "%.4g %s", (double)ns / (double)units[unit].ns, units[unit].name);
}
