/* Figures for display. The unit is chosen so that rounding never gives "1000.0 ms". */
#include "output/units.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

struct step {
	uint64_t below_ns;
	uint64_t unit_ns;
	int decimals;
	const char *unit;
};

static const struct step steps[] = {
	{9995, SPROF_NS_PER_US, 2, "us"},
	{999950, SPROF_NS_PER_US, 1, "us"},
	{9995000, SPROF_NS_PER_MS, 2, "ms"},
	{999950000, SPROF_NS_PER_MS, 1, "ms"},
	{9999500000, SPROF_NS_PER_S, 3, "s"},
	{99995000000, SPROF_NS_PER_S, 2, "s"},
	{999950000000, SPROF_NS_PER_S, 1, "s"},
	{UINT64_MAX, SPROF_NS_PER_S, 0, "s"},
};

struct sprof_figure sprof_figure_time(uint64_t ns)
{
	struct sprof_figure figure;
	const struct step *step = steps;

	if (ns < SPROF_NS_PER_US) {
		snprintf(figure.text, sizeof(figure.text), "%u %s", (unsigned)ns, ns ? "ns" : "s");
		return figure;
	}
	while (ns >= step->below_ns && step->below_ns != UINT64_MAX)
		step++;
	snprintf(figure.text, sizeof(figure.text), "%.*f %s", step->decimals,
		(double)ns / (double)step->unit_ns, step->unit);
	return figure;
}

/* Units of time, by their names in profiles, in ns. */
static uint64_t time_unit(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"nanoseconds", 1},
		{"microseconds", SPROF_NS_PER_US},
		{"milliseconds", SPROF_NS_PER_MS},
		{"seconds", SPROF_NS_PER_S},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ns;
	}
	return 0;
}

struct sprof_figure sprof_figure_moment(uint64_t real_ns)
{
	const time_t seconds = (time_t)(real_ns / SPROF_NS_PER_S);
	struct sprof_figure figure = {""};
	struct tm parts;
	size_t length = 0;

	if (localtime_r(&seconds, &parts))
		length = strftime(figure.text, sizeof(figure.text), "%Y-%m-%d %H:%M:%S", &parts);
	snprintf(figure.text + length, sizeof(figure.text) - length, ".%03u",
		(unsigned)(real_ns % SPROF_NS_PER_S / SPROF_NS_PER_MS));
	return figure;
}

struct sprof_figure sprof_figure_bytes(uint64_t value)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	struct sprof_figure figure;
	double scaled = (double)value;
	size_t unit = 0;

	for (; scaled >= 1023.95 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		scaled /= 1024;
	snprintf(figure.text, sizeof(figure.text), "%.*f %s", unit && scaled < 99.95, scaled,
		units[unit]);
	return figure;
}

struct sprof_figure sprof_figure_value(
	const struct sprof_profile *profile, enum sprof_weight weight, uint64_t value)
{
	const char *unit = sprof_profile_weight_unit(profile, weight);
	uint64_t ns = time_unit(unit);
	struct sprof_figure count;

	if (ns && value <= UINT64_MAX / ns)
		return sprof_figure_time(value * ns);
	if (strcmp(unit, "bytes") == 0)
		return sprof_figure_bytes(value);
	snprintf(count.text, sizeof(count.text), "%llu", (unsigned long long)value);
	return count;
}
