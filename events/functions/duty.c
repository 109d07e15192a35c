/* Schedules windows. Their moments are random, so that they don't follow phases of the program. */
#include "events/functions/duty.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"

/* The gap bounds the work of windows in which nothing happens. */
enum { WINDOW_NS = 3 * SPROF_NS_PER_MS, GAP_NS = 9 * SPROF_NS_PER_MS };

/* The unit of weights: the shortest gap between windows has about 100. */
enum { WEIGHT_NS = 100 * SPROF_NS_PER_US };

/* From one to two times as long. */
static uint64_t stretch(struct sprof_duty *duty, uint64_t ns)
{
	return ns + (uint64_t)((double)ns * erand48(duty->random));
}

void sprof_duty_init(struct sprof_duty *duty, double share, uint64_t seed, uint64_t now_ns)
{
	*duty = (struct sprof_duty){
		.share = share,
		.begin_ns = now_ns,
		.closed_ns = now_ns,
		.random = {(unsigned short)seed, (unsigned short)(seed >> 16),
			(unsigned short)(seed >> 32)},
	};
	duty->next_ns = now_ns + (uint64_t)(GAP_NS * erand48(duty->random));
}

void sprof_duty_open(struct sprof_duty *duty, uint64_t now_ns)
{
	duty->is_open = true;
	duty->opened_ns = now_ns;
	duty->weight = 1 + (now_ns - duty->closed_ns) / WEIGHT_NS;
	duty->next_ns = now_ns + WINDOW_NS;
}

/* The time at which the time taken so far is within the share of the run. */
static uint64_t affordable_ns(const struct sprof_duty *duty)
{
	return duty->begin_ns + (uint64_t)((double)duty->taken_ns / duty->share);
}

static void add(struct sprof_duty *duty, double counted, double weight)
{
	duty->weights += weight;
	duty->sum += weight * counted;
	duty->squared_weights += weight * weight;
	duty->squared_sum += weight * weight * counted;
	duty->squares += weight * weight * counted * counted;
}

void sprof_duty_close(struct sprof_duty *duty, uint64_t now_ns, uint64_t taken_ns, uint64_t counted)
{
	const double weight = (double)duty->weight;
	uint64_t affordable;

	duty->is_open = false;
	duty->windows++;
	duty->closed_ns = now_ns;
	duty->on_ns += now_ns - duty->opened_ns;
	duty->weighted_on_ns += weight * (double)(now_ns - duty->opened_ns);
	duty->taken_ns += taken_ns;
	add(duty, (double)counted, weight);
	affordable = affordable_ns(duty);
	duty->next_ns = now_ns +
		stretch(duty,
			affordable > now_ns + GAP_NS ? affordable - now_ns : (uint64_t)GAP_NS);
}

double sprof_duty_error(const struct sprof_duty *duty)
{
	const double windows = (double)duty->windows, mean = duty->sum / duty->weights;
	double squares;

	if (duty->windows < 2 || !(duty->sum > 0))
		return INFINITY;
	/* of the weighted distances from the mean */
	squares =
		duty->squares - 2 * mean * duty->squared_sum + mean * mean * duty->squared_weights;
	return sqrt(fmax(squares, 0) * windows / (windows - 1)) / duty->sum;
}
