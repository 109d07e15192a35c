/* Derives number and sum of delays from schedstat. delays.c counts those that are seen. */
#include "events/sched/delay-sums.h"

/* Sets a new base: later sums count from here. */
static void set_base(struct sprof_delay_sums *sums, const struct sprof_sched_record *record)
{
	sums->base_count = (int64_t)record->slices - sums->seen_count - sums->derived_count;
	sums->base_ns = (int64_t)record->delay_ns - sums->seen_ns - sums->derived_ns;
	sums->has_base = true;
}

/*
 * The sums are read slightly before or after records of the same moment. So what was derived too
 * early is subtracted from the next reading.
 */
static void count_derived(const struct sprof_delays *delays, struct sprof_delay_thread *thread,
	struct sprof_delay_set *set, const struct sprof_sched_record *record)
{
	const bool are_wakeups = delays->options.has_switches && !delays->options.has_wakeups;
	const enum sprof_delay_kind kind = are_wakeups ? SPROF_DELAY_WAKEUP : SPROF_DELAY_ANY;
	struct sprof_delay_counts *figures = &set->kinds[kind];
	struct sprof_delay_sums *sums = &thread->sums;
	const int64_t count = (int64_t)record->slices - sums->base_count - sums->seen_count;
	const int64_t ns = (int64_t)record->delay_ns - sums->base_ns - sums->seen_ns;

	if (count > sums->derived_count) {
		figures->derived_count += (uint64_t)(count - sums->derived_count);
		sums->derived_count = count;
	} else if (delays->options.has_wakeups) {
		return; /* the times differ by a few us per delay */
	}
	if (ns > sums->derived_ns) {
		figures->derived_ns += (uint64_t)(ns - sums->derived_ns);
		sums->derived_ns = ns;
	}
}

/*
 * A thread of unknown state may get a CPU after an unseen preemption. So after a gap, the sums stay
 * unusable until the state is known.
 */
void sprof_delay_sums_take(const struct sprof_delays *delays, struct sprof_delay_thread *thread,
	struct sprof_delay_set *set, const struct sprof_sched_record *record)
{
	struct sprof_delay_sums *sums = &thread->sums;

	if (!sums->has_base || sums->spoiled)
		set_base(sums, record);
	else if (!delays->options.has_wakeups || sums->is_short)
		count_derived(delays, thread, set, record);
	else if ((int64_t)record->slices - sums->base_count - sums->seen_count ==
		sums->derived_count)
		set_base(sums, record); /* differences of a few us per delay must not add up */
	sums->counted_ns = record->time_ns;
	if (!delays->open_gaps &&
		(!delays->options.has_switches || thread->state != SPROF_DELAY_STATE_UNKNOWN))
		sums->spoiled = sums->is_short = false;
}
