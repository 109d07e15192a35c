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
	size_t threads, processes;

	world->threads(world->data, &threads);
	world->processes(world->data, &processes);
	period->threads = world->threads_seen(world->data) - (uint32_t)threads;
	period->processes = world->processes_seen(world->data) - (uint32_t)processes;
	/* The last period ended before this: work since then belongs to the new one. */
	period->own_cpu_ns += loop->run.quality->profiler_cpu_ns;
	sprof_switch_restart(loop);
	restart_quality(loop);
	sprof_book_restart(&loop->book);
	if (loop->exact.is_open)
		sprof_exact_restart(&loop->exact);
}

/* Skips the slots of ends that have passed meanwhile. */
static void plan_next(struct period *period, uint64_t length, uint64_t now)
{
	while (period->end_ns <= now)
		period->end_ns += length;
	period->ask_ns = period->end_ns;
}

/* Up to the last tick all time was charged. */
static uint64_t end_of_period(const struct loop *loop)
{
	return loop->sampling.is_on ? loop->ticking.ns : now_of(&loop->run);
}

void sprof_period_end(struct loop *loop)
{
	const struct sprof_periods *periods = loop->periods;
	bool ended;

	if (!periods->may_end(periods->data)) {
		loop->period.ask_ns = now_of(&loop->run) + ASK_AGAIN_NS;
		return;
	}
	sprof_loop_charge_all(loop);
	sprof_loop_settle_all(loop);
	sprof_loop_fill_quality(loop);
	plan_next(&loop->period, loop->run.options->period_ns, now_of(&loop->run));
	sprof_hop_restore(&loop->stops.hop);
	ended = periods->end(periods->data, end_of_period(loop), loop->sink);
	sprof_hop_resume(&loop->stops.hop);
	if (ended)
		restart(loop);
}
