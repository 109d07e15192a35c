/*
 * Verdicts: one word for what a function's wall time went into. A table of limits and nothing else.
 */
#include "profile/view.h"

#include <assert.h>
#include <stddef.h>

struct limit {
	enum sprof_verdict verdict;
	enum sprof_time_class class;
	unsigned above_percent;
};

static const struct limit limits[] = {
	{SPROF_VERDICT_CPU, SPROF_TIME_USER, 80},
	{SPROF_VERDICT_SYSCALL, SPROF_TIME_SYS, 30},
	{SPROF_VERDICT_WAIT, SPROF_TIME_WAIT, 50},
	{SPROF_VERDICT_STARVED, SPROF_TIME_RUNQ, 20},
};

enum sprof_verdict sprof_verdict_of(const struct sprof_times *times)
{
	uint64_t wall = sprof_times_wall(times);

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (sprof_percent(times->ns[limits[i].class], wall) > limits[i].above_percent)
			return limits[i].verdict;
	}
	return SPROF_VERDICT_NONE;
}

const char *sprof_verdict_name(enum sprof_verdict verdict)
{
	static const char *const names[SPROF_VERDICT_COUNT] = {
		[SPROF_VERDICT_NONE] = "-",
		[SPROF_VERDICT_CPU] = "cpu",
		[SPROF_VERDICT_SYSCALL] = "syscall",
		[SPROF_VERDICT_WAIT] = "wait",
		[SPROF_VERDICT_STARVED] = "starved",
	};

	assert(verdict < SPROF_VERDICT_COUNT);
	return names[verdict];
}
