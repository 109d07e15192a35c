/*
 * Chooses the period of page faults: one record per period. A credit of records grows with time.
 * When it is used up, or records are lost, the period is lengthened to fit the current rate. After
 * a second with few records it is shortened. All threads share one period.
 */
#include "events/faults/pace.h"

#include "base/clock.h"

enum {
	RATE = 8000,   /* records a second: to walk one takes some 10 us */
	BUCKET = 4000, /* records that may come at once */
	AGAIN = 500,   /* the same after a change, which takes effect with a delay */
	LONGEST = 1 << 20,
	STEP = 8, /* factor by which the period is shortened at once */
};

static const uint64_t calm_least_ns = SPROF_NS_PER_S;

struct sprof_fault_pace sprof_fault_pace_begin(uint64_t fixed)
{
	return (struct sprof_fault_pace){
		.period = fixed ? fixed : 1, .is_fixed = fixed, .credit = BUCKET};
}

/* The least power of two with which the faults since the last reading are affordable. */
static uint64_t affordable(const struct sprof_fault_pace *pace, double records, double seconds)
{
	uint64_t times = 2;

	while (times * pace->period < LONGEST && records / (double)times > RATE * seconds)
		times *= 2;
	return times * pace->period < LONGEST ? times * pace->period : LONGEST;
}

/* Whether few records have come for long enough. */
static bool is_calm(
	struct sprof_fault_pace *pace, const struct sprof_fault_load *load, double seconds)
{
	if ((double)load->records * STEP > RATE * seconds) {
		pace->calm_ns = 0;
		return false;
	}
	if (!pace->calm_ns)
		pace->calm_ns = load->now_ns;
	return load->now_ns - pace->calm_ns >= calm_least_ns;
}

static void settle(
	struct sprof_fault_pace *pace, const struct sprof_fault_load *load, double seconds)
{
	const uint64_t lost = load->lost - pace->last_lost;

	pace->credit += RATE * seconds - (double)load->records;
	if (pace->credit > BUCKET)
		pace->credit = BUCKET;
	if (pace->credit < 0 || lost) {
		pace->period = affordable(pace, (double)(load->records + lost), seconds);
		pace->credit = pace->credit < AGAIN ? AGAIN : pace->credit;
		pace->calm_ns = 0;
	} else if (is_calm(pace, load, seconds) && pace->period > 1) {
		pace->period = pace->period > STEP ? pace->period / STEP : 1;
		pace->calm_ns = 0;
	}
}

bool sprof_fault_pace_step(struct sprof_fault_pace *pace, const struct sprof_fault_load *load)
{
	const uint64_t before = pace->period;

	if (!pace->is_fixed && pace->last_ns && load->now_ns > pace->last_ns)
		settle(pace, load, (double)(load->now_ns - pace->last_ns) / (double)SPROF_NS_PER_S);
	pace->last_ns = load->now_ns;
	pace->last_lost = load->lost;
	return pace->period != before;
}

void sprof_fault_pace_keep(struct sprof_fault_pace *pace, uint64_t former)
{
	pace->period = former;
	pace->is_fixed = true;
}
