/*
 * Weighing looks by the time since the last one, and by what the kernel has counted of the thread
 * meanwhile: its CPU time and its run-queue time. Does not see when a sleep has ended: see
 * sprof_tick_most_spared().
 */
#include "sampler/tick/weight.h"

#include "base/numbers.h"
#include "sampler/sampled.h"
#include "sampler/tick/tick.h"
#include "sampler/timer/timed.h"

static uint32_t fewer(uint64_t ticks, uint32_t weight)
{
	return ticks < weight ? (uint32_t)ticks : weight;
}

static uint64_t passed_ns(const struct ticking *ticking)
{
	return ticking->ns - ticking->last_ns;
}

uint32_t sprof_weight_of_look(const struct ticking *ticking, const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;
	const uint64_t told_ns = sampled->timed.told_ns;
	const uint64_t begin_ns = thread->seen_ns > told_ns ? thread->seen_ns : told_ns;
	const uint64_t lived_ns = sprof_minus(ticking->ns, begin_ns);
	const uint32_t slept_on = sprof_sampled_slept_on(sampled, ticking->ns);

	return fewer(lived_ns / ticking->period_ns + 1, ticking->weight - slept_on);
}

uint32_t sprof_weight_of_sleep(const struct ticking *ticking, const struct sprof_thread *thread,
	const struct sprof_proc_schedstat *now)
{
	const struct sampled *sampled = thread->sampling;
	const uint64_t awake_ns = sprof_timed_awake_ns(&sampled->timed, now->cpu_ns, now->runq_ns);

	if (ticking->weight == 1 || !sprof_timed_is_open(&sampled->timed))
		return sprof_weight_of_look(ticking, thread);
	if (awake_ns >= passed_ns(ticking) || sprof_sampled_slept_on(sampled, ticking->ns) ||
		sampled->timed.looked_ns == ticking->ns)
		return 1;
	return fewer((passed_ns(ticking) - awake_ns) / ticking->period_ns + 1, ticking->weight);
}

uint32_t sprof_weight_of_lost(const struct ticking *ticking, const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	return sprof_timed_is_open(&sampled->timed) ? 1 : sprof_weight_of_look(ticking, thread);
}

uint32_t sprof_weight_take_naps(const struct ticking *ticking, const struct sprof_thread *thread)
{
	struct sampled *sampled = thread->sampling;

	return sprof_timed_take_naps(&sampled->timed, ticking->period_ns);
}

/*
 * With timer records, the thread has slept whenever it did not work. Without them, the look that
 * finds it running counts for all ticks since the last look, because other looks miss such work
 * wholly; less the ticks in which it is known to have worked. On average over the moments of looks,
 * this gives work of any length its ticks, and the others to the sleep.
 */
uint32_t sprof_weight_slept_on(const struct ticking *ticking, const struct sampled *sampled,
	const struct sprof_proc_schedstat *now)
{
	const uint64_t worked_ns = sprof_sampled_worked_ns(sampled, now);
	const uint64_t period_ns = ticking->period_ns;

	if (worked_ns > passed_ns(ticking))
		return 0;
	if (sprof_timed_is_open(&sampled->timed))
		return fewer((passed_ns(ticking) - worked_ns) / period_ns, ticking->weight - 1);
	return fewer((worked_ns + period_ns / 2) / period_ns, ticking->weight - 1);
}
