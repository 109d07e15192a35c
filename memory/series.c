/*
 * Keeps only sums and steps of the readings. If time exceeds the last step, pairs of steps are
 * merged, so runs may be of any length.
 */
#include "memory/series.h"

#include "base/clock.h"

static const uint64_t FIRST_STEP_NS = SPROF_NS_PER_MS;

static void double_step(struct sprof_series *series)
{
	const size_t steps = (series->steps + 1) / 2;

	for (size_t i = 0; i < steps; i++) {
		const uint64_t left = series->course[2 * i];
		const uint64_t right = 2 * i + 1 < series->steps ? series->course[2 * i + 1] : left;

		series->course[i] = left > right ? left : right;
	}
	series->steps = steps;
	series->step_ns *= 2;
}

static void draw(struct sprof_series *series, uint64_t since_ns, uint64_t value)
{
	size_t step;

	if (!series->step_ns)
		series->step_ns = FIRST_STEP_NS;
	while (since_ns / series->step_ns >= SPROF_SERIES_STEPS)
		double_step(series);
	step = since_ns / series->step_ns;
	for (; series->steps < step; series->steps++)
		series->course[series->steps] = series->last;
	if (series->steps == step)
		series->course[series->steps++] = value;
	else if (value > series->course[step])
		series->course[step] = value;
}

void sprof_series_add(struct sprof_series *series, uint64_t time_ns, uint64_t value)
{
	double seconds;

	if (!series->count)
		series->first_ns = series->last_ns = time_ns;
	seconds = (double)(time_ns - series->first_ns) / SPROF_NS_PER_S;
	if (!series->count || value < series->min)
		series->min = value;
	if (!series->count || value > series->max) {
		series->max = value;
		series->max_ns = time_ns;
	}
	draw(series, time_ns - series->first_ns, value);
	series->area += (double)series->last * (double)(time_ns - series->last_ns);
	series->times += seconds;
	series->values += (double)value;
	series->squares += seconds * seconds;
	series->products += seconds * (double)value;
	series->last = value;
	series->last_ns = time_ns;
	series->count++;
}

double sprof_series_mean(const struct sprof_series *series)
{
	const uint64_t ns = series->last_ns - series->first_ns;

	return ns ? series->area / (double)ns : (double)series->last;
}

bool sprof_series_growth(const struct sprof_series *series, double *ret_per_second)
{
	const double count = (double)series->count;
	const double spread = count * series->squares - series->times * series->times;

	if (series->last_ns == series->first_ns || spread <= 0)
		return false;
	*ret_per_second = (count * series->products - series->times * series->values) / spread;
	return true;
}
