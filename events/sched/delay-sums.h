/* What schedstat says beyond the delays that were seen: their number and sum. */
#pragma once

#include "events/sched/delays.h"

/* Takes a READING of the thread, whose figures are `set`. */
void sprof_delay_sums_take(const struct sprof_delays *delays, struct sprof_delay_thread *thread,
	struct sprof_delay_set *set, const struct sprof_sched_record *record);
