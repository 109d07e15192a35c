/*
 * Recordings without end are cut into periods. Knows how to end one and begin the next between two
 * ticks, so that each moment is in one of them and none in two: what the kernel has counted goes on
 * being handed out once, whichever sink it goes to. What becomes of a period is its control's matter.
 */
#include "base/clock.h"
#include "sampler/sampler-internal.h"

enum {
	ASK_AGAIN_NS = 20 * SPROF_NS_PER_MS
};

void sprof_period_begin(struct sampler *sampler)
{
	const uint64_t length = sampler->options->period_ns;
	struct period *period = &sampler->period;

	period->begin_ns = sampler->pace.begin_ns;
	period->end_ns = length ? period->begin_ns + length : UINT64_MAX;
	period->ask_ns = period->end_ns;
}

/* Figures from zero, but for what they are about. */
static void restart_quality(struct sampler *sampler)
{
	struct sprof_schedule *schedule = &sampler->pace.schedule;
	struct sprof_quality *quality = sampler->quality;

	*quality = (struct sprof_quality){
		.target_pid = quality->target_pid,
		.rate_hz = quality->rate_hz,
		.mode = quality->mode,
		.schedstat_missing = quality->schedstat_missing,
	};
	sampler->period.stopped_ns += sampler->pauses.total;
	sampler->pauses = (struct sprof_pauses){0};
	schedule->ticks = schedule->late = schedule->missed = 0;
}

static void restart(struct sampler *sampler)
{
	const struct sprof_target *target = sampler->parts->target;
	struct period *period = &sampler->period;
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(target, &count);
	period->threads = sprof_target_threads_seen(target) - (uint32_t)count;
	period->processes = sprof_target_processes_seen(target) - sprof_target_process_count(target);
	/* Where the last one has ended: what has been done since is the new one's. */
	period->own_cpu_ns += sampler->quality->profiler_cpu_ns;
	period->begin_ns += sampler->quality->duration_ns;
	sprof_samples_forget_all(&sampler->samples);
	sampler->waits.locks = (struct locks){0};
	restart_quality(sampler);
	for (size_t i = 0; i < count; i++)
		sprof_sampling_restart(sampler, threads[i]);
}

/* The slots of ends that have passed meanwhile are skipped. */
static void plan_next(struct period *period, uint64_t length)
{
	const uint64_t now = sprof_clock_now_ns();

	while (period->end_ns <= now)
		period->end_ns += length;
	period->ask_ns = period->end_ns;
}

void sprof_period_end(struct sampler *sampler)
{
	const struct sprof_control *control = sampler->parts->control;
	struct sprof_thread **threads;
	size_t count;
	bool ended;

	if (!control->may_end_period(control->data)) {
		sampler->period.ask_ns = sprof_clock_now_ns() + ASK_AGAIN_NS;
		return;
	}
	sprof_sampler_charge_all(sampler);
	threads = sprof_target_threads(sampler->parts->target, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->sampling)
			sprof_charge_last(
				sampler, threads[i], sprof_charge_is_behind(sampler, threads[i]));
	}
	sprof_sampler_fill_quality(sampler);
	plan_next(&sampler->period, sampler->options->period_ns);
	sprof_hop_restore(&sampler->hop);
	ended = control->end_period(control->data);
	sprof_hop_resume(&sampler->hop);
	if (ended)
		restart(sampler);
}
