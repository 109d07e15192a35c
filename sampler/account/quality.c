/*
 * The quality of a run up to now, from what its parts have counted; and what the loop and the
 * periods do with all threads at once.
 */
#include "sampler/loop/loop.h"

/* The ticks at the requested rate that were left out because they would have cost too much. */
static uint64_t held_back(const struct loop *loop, const struct sprof_quality *quality)
{
	uint64_t planned = quality->duration_ns / loop->pace.budget.shortest;
	uint64_t known = quality->ticks + quality->ticks_missed;

	if (loop->run.options->max_overhead <= 0 || planned < known)
		return 0;
	return planned - known;
}

static void fill_stops(const struct sprof_histogram *pauses, struct sprof_quality *quality)
{
	quality->stops = pauses->count;
	quality->stop_ns_total = pauses->total;
	quality->stop_ns_max = pauses->max;
	quality->stop_ns_p50 = sprof_histogram_quantile(pauses, 0.5);
	quality->stop_ns_p95 = sprof_histogram_quantile(pauses, 0.95);
	quality->stop_ns_p99 = sprof_histogram_quantile(pauses, 0.99);
}

static enum sprof_timers_denied why_no_timers(const struct run *run)
{
	if (run->options->by_kernel && run->quality->schedstat_missing)
		return SPROF_TIMERS_UNSUPPORTED;
	return run->options->timers_denied;
}

void sprof_loop_fill_quality(struct loop *loop)
{
	const struct sprof_world *world = loop->run.world;
	const struct sprof_schedule *schedule = &loop->pace.schedule;
	const struct period *period = &loop->period;
	struct sprof_quality *quality = loop->run.quality;

	quality->duration_ns = sprof_switch_on_ns(loop);
	quality->off_ns = sprof_switch_off_ns(loop);
	quality->timers_denied = why_no_timers(&loop->run);
	quality->ticks = schedule->ticks;
	quality->ticks_late = schedule->late;
	quality->ticks_missed = schedule->missed;
	quality->ticks_held_back = held_back(loop, quality);
	fill_stops(&loop->stops.pauses, quality);
	quality->threads_seen = world->threads_seen(world->data) - period->threads;
	quality->processes_seen = world->processes_seen(world->data) - period->processes;
	quality->profiler_cpu_ns = world->own_cpu_ns(world->data) - period->own_cpu_ns;
}

/* If the schedule's next tick was due, this is it: it may be late, with others missed. */
static void count_tick(struct loop *loop)
{
	struct sprof_schedule *schedule = &loop->pace.schedule;
	const struct ticking *ticking = &loop->ticking;

	if (ticking->ns >= schedule->deadline && !loop->run.options->once)
		sprof_schedule_advance(schedule, ticking->ns);
	else
		sprof_schedule_settle(schedule, ticking->ns);
}

void sprof_loop_charge_all(struct loop *loop)
{
	if (!loop->sampling.is_on)
		return;
	/* No thread is stopped only for figures: they are read as they are. */
	if (loop->run.options->no_samples) {
		loop->ticking.ns = now_of(&loop->run);
		return;
	}
	if (loop->exact.is_open)
		sprof_exact_read(&loop->exact, true);
	sprof_tick(&loop->ticking, true);
	count_tick(loop);
}

/*
 * Whether its figures go beyond the charged time: at the last tick, only if it got no CPU to stop
 * on.
 */
static bool is_behind(const struct loop *loop, const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	return sampled->account.last.time_ns < loop->ticking.ns;
}

void sprof_loop_settle_all(struct loop *loop)
{
	const struct sprof_world *world = loop->run.world;
	struct sprof_thread **threads;
	size_t count;

	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->sampling)
			sprof_book_settle(&loop->book, threads[i],
				loop->sampling.is_on && is_behind(loop, threads[i]));
	}
}
