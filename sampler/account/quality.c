/*
 * The quality of a run up to now, from what its parts have counted; and what the loop and the
 * periods do with all threads at once.
 */
#include "base/numbers.h"
#include "sampler/loop/loop.h"

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
