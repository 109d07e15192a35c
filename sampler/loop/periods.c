/*
 * Recordings without end are cut into periods. One ends and the next begins between two ticks, so
 * each moment is in exactly one period: the kernel's counts are handed out once, whichever sink
 * gets them. Does not decide what happens to a period: its control does.
 */
#include "base/clock.h"
#include "sampler/loop/loop.h"

enum { ASK_AGAIN_NS = 20 * SPROF_NS_PER_MS };

void sprof_period_begin(struct loop *loop)
{
	const uint64_t length = loop->run.options->period_ns;
	struct period *period = &loop->period;

	period->end_ns = length ? loop->pace.begin_ns + length : UINT64_MAX;
	period->ask_ns = period->end_ns;
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
	struct period *period = &loop->period;

	period->threads =
		world->threads_seen(world->target) - (uint32_t)threads_of(&loop->run).count;
	period->processes =
		world->processes_seen(world->target) - (uint32_t)processes_of(&loop->run).count;
	/* The last period ended before this: work since then belongs to the new one. */
	period->own_cpu_ns += loop->run.quality->profiler_cpu_ns;
	sprof_switch_restart(loop);
	restart_quality(loop);
	sprof_book_restart(&loop->book, !loop->sampling.is_on);
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
