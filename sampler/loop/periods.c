/*
 * The end of a period, and the quality up to now. Recordings without end are cut into periods. One
 * ends and the next begins between two ticks, so each moment is in exactly one period: the kernel's
 * counts are handed out once, whichever sink gets them. Does not decide what happens to a period:
 * its control does.
 */
#include "base/clock.h"
#include "base/numbers.h"
#include "sampler/loop/loop.h"

enum { ASK_AGAIN_NS = 20 * SPROF_NS_PER_MS };

void sprof_loop_fill_quality(struct loop *loop)
{
	const struct sprof_world *world = loop->run.world;
	const struct sprof_sampler_options *options = loop->run.options;
	const struct sprof_schedule *schedule = &loop->pace.schedule;
	const struct sprof_histogram *pauses = &loop->stops.pauses;
	const struct period *period = &loop->period;
	struct sprof_quality *quality = loop->run.quality;

	quality->duration_ns = sprof_switch_on_ns(loop);
	quality->off_ns = sprof_switch_off_ns(loop);
	quality->timers_denied = options->by_kernel && quality->schedstat_missing
		? SPROF_TIMERS_UNSUPPORTED
		: options->timers_denied;
	quality->ticks = schedule->ticks;
	quality->ticks_late = schedule->late;
	quality->ticks_missed = schedule->missed;
	/* Of the ticks at the requested rate, those that would have cost too much. */
	quality->ticks_held_back = options->max_overhead <= 0
		? 0
		: sprof_minus(quality->duration_ns / loop->pace.budget.shortest,
			  quality->ticks + quality->ticks_missed);
	quality->stops = pauses->count;
	quality->stop_ns_total = pauses->total;
	quality->stop_ns_max = pauses->max;
	quality->stop_ns_p50 = sprof_histogram_quantile(pauses, 0.5);
	quality->stop_ns_p95 = sprof_histogram_quantile(pauses, 0.95);
	quality->stop_ns_p99 = sprof_histogram_quantile(pauses, 0.99);
	quality->threads_seen = world->threads_seen(world->target) - period->threads;
	quality->processes_seen = world->processes_seen(world->target) - period->processes;
	quality->profiler_cpu_ns = world->own_cpu_ns() - period->own_cpu_ns;
}

void sprof_loop_charge_all(struct loop *loop)
{
	struct sprof_schedule *schedule = &loop->pace.schedule;
	struct run *run = &loop->run;

	if (!loop->sampling.is_on)
		return;
	/* No thread is stopped only for figures: they are read as they are. */
	if (run->options->no_samples) {
		run->tick.ns = now_of(run);
		return;
	}
	if (loop->exact.is_open)
		sprof_exact_read(&loop->exact, true);
	sprof_tick(&loop->ticking, true);
	/* If the schedule's next tick was due, this is it: it may be late, with others missed. */
	if (run->tick.ns >= schedule->deadline && !run->options->once)
		sprof_schedule_advance(schedule, run->tick.ns);
	else
		sprof_schedule_settle(schedule, run->tick.ns);
}

void sprof_loop_settle_all(struct loop *loop)
{
	const struct threads threads = threads_of(&loop->run);

	for (size_t i = 0; i < threads.count; i++) {
		const struct sampled *sampled = threads.items[i]->sampling;

		/*
		 * At the last tick, its figures go beyond the charged time only if it got no CPU to
		 * stop on.
		 */
		if (sampled)
			sprof_book_settle(&loop->book, threads.items[i],
				loop->sampling.is_on &&
					sampled->account.last.time_ns < loop->run.tick.ns);
	}
}

/* Resets the counters, keeps identity fields. */
static void restart_quality(struct loop *loop)
{
	struct sprof_schedule *schedule = &loop->pace.schedule;
	struct sprof_quality *quality = loop->run.quality;

	*quality = (struct sprof_quality){
		.target_pid = quality->target_pid,
		.rate_hz = quality->rate_hz,
		.mode = quality->mode,
		.schedstat_missing = quality->schedstat_missing,
		/* Each thread is counted once only. */
		.timers_refused = quality->timers_refused,
		.timers_unfit = quality->timers_unfit,
	};
	loop->period.stopped_ns += loop->stops.pauses.total;
	sprof_histogram_reset(&loop->stops.pauses);
	schedule->ticks = schedule->late = schedule->missed = 0;
}

static void restart(struct loop *loop)
{
	const struct sprof_world *world = loop->run.world;
	struct sampling_switch *sampling = &loop->sampling;
	struct period *period = &loop->period;

	period->threads =
		world->threads_seen(world->target) - (uint32_t)threads_of(&loop->run).count;
	period->processes =
		world->processes_seen(world->target) - (uint32_t)processes_of(&loop->run).count;
	/* The last period ended before this: work since then belongs to the new one. */
	period->own_cpu_ns += loop->run.quality->profiler_cpu_ns;
	sampling->on_ns = sampling->off_ns = 0;
	sampling->since_ns = sampling->is_on ? loop->run.tick.ns : now_of(&loop->run);
	restart_quality(loop);
	sprof_book_restart(&loop->book, !sampling->is_on);
	if (loop->exact.is_open)
		sprof_exact_restart(&loop->exact);
}

void sprof_period_end(struct loop *loop)
{
	const struct sprof_periods *periods = loop->periods;
	uint64_t now;
	bool ended;

	if (!periods->may_end(periods->data)) {
		loop->period.ask_ns = now_of(&loop->run) + ASK_AGAIN_NS;
		return;
	}
	sprof_loop_charge_all(loop);
	sprof_loop_settle_all(loop);
	sprof_loop_fill_quality(loop);
	/* Skips the slots of ends that have passed meanwhile. */
	now = now_of(&loop->run);
	while (loop->period.end_ns <= now)
		loop->period.end_ns += loop->run.options->period_ns;
	loop->period.ask_ns = loop->period.end_ns;
	sprof_hop_restore(&loop->stops.hop);
	/* Up to the last tick all time was charged. */
	ended = periods->end(periods->data,
		loop->sampling.is_on ? loop->run.tick.ns : now_of(&loop->run), loop->run.sink);
	sprof_priority_raise(&loop->stops.hop.own);
	if (ended)
		restart(loop);
}
