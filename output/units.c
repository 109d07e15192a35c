/*
 * Figures as a person reads them. The unit is chosen so that rounding never gives "1000.0 ms".
 */
#include "output/units.h"

#include <stddef.h>
#include <stdio.h>

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

struct sprof_figure sprof_figure_weight(uint64_t value, enum sprof_weight weight)
{
	struct sprof_figure figure;

	if (sprof_weight_is_time(weight))
		return sprof_figure_time(value);
	snprintf(figure.text, sizeof(figure.text), "%llu", (unsigned long long)value);
	return figure;
}
