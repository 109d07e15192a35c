/*
 * The loop: waits for whichever comes first, the next tick or a report of the target. Knows the order
 * of things in a run; what a tick does is tick.c's matter.
 */
#include "sampler/sampler.h"

#include <stdlib.h>

#include "base/clock.h"
#include "sampler/sampler-internal.h"

static void on_exec(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;

	if (!sampling)
		return;
	/* What it slept through was in the old program. */
	sampling->wait.lock.active = false;
	sprof_reuse_flush(sampler, thread);
	sampling->sleep.active = false;
	sprof_copy_plan_forget_program(&sampling->copy);
	sampling->wait.id = SPROF_WAIT_NONE;
	sprof_sampling_name(sampler, thread, true);
}

/* There is room for two of each kind; more of one kind, within one tick, say no more. */
static void keep_signal(struct kept_signals *signals, const siginfo_t *info)
{
	unsigned same = 0;

	for (unsigned i = 0; i < signals->count; i++)
		same += signals->kept[i].si_signo == info->si_signo;
	if (same < 2 && signals->count < SIGNALS_KEPT)
		signals->kept[signals->count++] = *info;
}

/* What the launched program has started may end with it, or be left behind: then the run ends without it. */
static void end_with_program(struct sampler *sampler)
{
	const uint64_t end_ns = sprof_clock_now_ns() + sampler->options->linger_ns;
	int status;

	if (sampler->options->linger_ns && end_ns < sampler->pace.end_ns &&
		sprof_target_ended(sampler->parts->target, &status))
		sampler->pace.end_ns = end_ns;
}

void sprof_sampler_event(struct sampler *sampler, const struct sprof_event *event)
{
	switch (event->kind) {
	case SPROF_EVENT_SIGNAL:
		keep_signal(&sampler->signals, &event->info);
		break;
	case SPROF_EVENT_STOPPED:
		sprof_stops_take_late(sampler, event->thread);
		break;
	case SPROF_EVENT_EXEC:
		on_exec(sampler, event->thread);
		break;
	case SPROF_EVENT_ENDED:
		sprof_sampling_end(
			sampler, event->thread, sprof_thread_has_figures(event->thread));
		sprof_target_release(sampler->parts->target, event->thread);
		break;
	case SPROF_EVENT_EMPTY:
		sampler->over = true;
		break;
	case SPROF_EVENT_TIMEOUT:
		break;
	}
}

/* Of the ticks at the rate that was asked for, those that would have cost too much. */
static uint64_t held_back(const struct sampler *sampler, const struct sprof_quality *quality)
{
	uint64_t planned = quality->duration_ns / sampler->pace.budget.shortest;
	uint64_t known = quality->ticks + quality->ticks_missed;

	if (sampler->options->max_overhead <= 0 || planned < known)
		return 0;
	return planned - known;
}

static void fill_stops(const struct sprof_pauses *pauses, struct sprof_quality *quality)
{
	quality->stops = pauses->count;
	quality->stop_ns_total = pauses->total;
	quality->stop_ns_max = pauses->max;
	quality->stop_ns_p50 = sprof_pauses_quantile(pauses, 0.5);
	quality->stop_ns_p95 = sprof_pauses_quantile(pauses, 0.95);
	quality->stop_ns_p99 = sprof_pauses_quantile(pauses, 0.99);
}

void sprof_sampler_fill_quality(struct sampler *sampler)
{
	struct sprof_quality *quality = sampler->quality;
	const struct sprof_target *target = sampler->parts->target;
	const struct sprof_schedule *schedule = &sampler->pace.schedule;
	const struct period *period = &sampler->period;
	uint64_t now = sprof_clock_now_ns();

	quality->duration_ns = now > period->begin_ns ? now - period->begin_ns : 0;
	quality->ticks = schedule->ticks;
	quality->ticks_late = schedule->late;
	quality->ticks_missed = schedule->missed;
	quality->ticks_held_back = held_back(sampler, quality);
	fill_stops(&sampler->pauses, quality);
	quality->threads_seen = sprof_target_threads_seen(target) - period->threads;
	quality->processes_seen = sprof_target_processes_seen(target) - period->processes;
	quality->profiler_cpu_ns = sprof_clock_own_cpu_ns() - period->own_cpu_ns;
}

void sprof_sampler_charge_all(struct sampler *sampler)
{
	if (sprof_clock_now_ns() < sampler->pace.begin_ns)
		return;
	sampler->tick.closing = true;
	sprof_tick(sampler);
	sampler->pace.schedule.ticks++;
	sampler->tick.closing = false;
}

/* Signals are answered when no thread is stopped, and all time up to now is handed out. */
static void answer_signals(struct sampler *sampler)
{
	const struct sprof_control *control = sampler->parts->control;

	/* What the control forks must not inherit our place and level. */
	sprof_hop_restore(&sampler->hop);
	for (unsigned i = 0; i < sampler->signals.count; i++) {
		sprof_sampler_fill_quality(sampler);
		if (!control->signal(control->data, &sampler->signals.kept[i]))
			sampler->over = true;
	}
	sampler->signals.count = 0;
	sprof_hop_resume(&sampler->hop);
}

/* Threads stand still after a launch: the first instruction is the first sample. */
static void resume_all(struct sampler *sampler)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(sampler->parts->target, &count);
	for (size_t i = 0; i < count; i++) {
		if (!sampler->options->delay_ns)
			sprof_sampling_of(sampler, threads[i]);
		if (threads[i]->phase == SPROF_THREAD_STOPPED)
			sprof_thread_resume(threads[i]);
	}
}

static uint64_t next_deadline(const struct sampler *sampler)
{
	uint64_t tick_ns = sampler->pace.schedule.deadline, ask_ns = sampler->period.ask_ns;
	uint64_t deadline = tick_ns < sampler->pace.end_ns ? tick_ns : sampler->pace.end_ns;

	return deadline < ask_ns ? deadline : ask_ns;
}

/* Our own CPU time, and for how long threads of the target stood still for us. */
static uint64_t spent_ns(const struct sampler *sampler)
{
	return sprof_clock_own_cpu_ns() + sampler->period.stopped_ns + sampler->pauses.total;
}

static void plan_next_tick(struct sampler *sampler)
{
	struct pace *pace = &sampler->pace;

	if (sampler->options->max_overhead > 0)
		pace->schedule.period = sprof_budget_period(
			&pace->budget, sprof_clock_now_ns(), spent_ns(sampler));
	sprof_schedule_advance(&pace->schedule, sampler->tick.ns);
}

/* What is due now; false: the end is. */
static bool act(struct sampler *sampler)
{
	uint64_t now = sprof_clock_now_ns(), tick_ns = sampler->pace.schedule.deadline;

	if (now >= tick_ns && sampler->options->once)
		return false;
	/* Also behind the end, if it is due since before: so those that were missed are counted. */
	if (now >= tick_ns && tick_ns < sampler->pace.end_ns) {
		sprof_tick(sampler);
		plan_next_tick(sampler);
	}
	if (now >= sampler->pace.end_ns)
		return false;
	if (now >= sampler->period.ask_ns)
		sprof_period_end(sampler);
	return true;
}

/* Whether the run goes on. */
static bool turn(struct sampler *sampler)
{
	struct sprof_event event =
		sprof_target_wait(sampler->parts->target, next_deadline(sampler));

	/* A target with an event every moment must not hold up the ticks. */
	sprof_sampler_event(sampler, &event);
	end_with_program(sampler);
	if (!sampler->over && !act(sampler))
		return false;
	if (sampler->signals.count) {
		sprof_sampler_charge_all(sampler);
		answer_signals(sampler);
	}
	return !sampler->over && !sampler->out_of_memory;
}

/* The last tick is at the end of the run, so that all figures reach up to it. */
static void close_run(struct sampler *sampler)
{
	struct sprof_thread **threads;
	size_t count;

	sprof_sampler_charge_all(sampler);
	sprof_stops_drain(sampler);
	threads = sprof_target_threads(sampler->parts->target, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->sampling)
			sprof_sampling_end(
				sampler, threads[i], sprof_charge_is_behind(sampler, threads[i]));
	}
	sprof_sampler_fill_quality(sampler);
	/* Those that came in the last tick are heard too. */
	answer_signals(sampler);
	sprof_slots_finish(&sampler->slots);
	sprof_waits_finish(&sampler->waits);
	sprof_samples_finish(&sampler->samples);
	free(sampler->peek.buffer.bytes);
}

/* A kernel without it writes zeros; a process that runs has used more than that. */
static bool has_schedstat(void)
{
	struct sprof_proc_schedstat own;
	char text[128];

	return sprof_proc_read_path("/proc/self/schedstat", text, sizeof(text)) > 0 &&
		sprof_proc_parse_schedstat(text, &own) && own.timeslices;
}

static void begin_pace(struct sampler *sampler)
{
	const struct sprof_sampler_options *options = sampler->options;
	struct pace *pace = &sampler->pace;
	uint64_t period = (uint64_t)(SPROF_NS_PER_S / options->rate_hz);

	pace->begin_ns = sprof_clock_now_ns() + options->delay_ns;
	pace->end_ns = options->duration_ns ? pace->begin_ns + options->duration_ns : UINT64_MAX;
	sprof_schedule_init(&pace->schedule, period, pace->begin_ns, pace->begin_ns);
	sprof_budget_init(&pace->budget, options->max_overhead, period);
	sprof_budget_begin(&pace->budget, pace->begin_ns, spent_ns(sampler));
}

bool sprof_sampler_run(const struct sprof_sampler_parts *parts,
	const struct sprof_sampler_options *options, struct sprof_quality *quality,
	struct sprof_error *err)
{
	struct sampler sampler = {.parts = parts, .options = options, .quality = quality};

	*quality = (struct sprof_quality){
		.target_pid = sprof_target_pid(parts->target),
		.rate_hz = options->rate_hz,
		.mode = options->mode,
		.schedstat_missing = !has_schedstat(),
	};
	sampler.waits.objects.target = parts->target;
	begin_pace(&sampler);
	sprof_period_begin(&sampler);
	sprof_hop_init(&sampler.hop);
	resume_all(&sampler);
	while (turn(&sampler))
		;
	close_run(&sampler);
	sprof_hop_finish(&sampler.hop);
	return sampler.out_of_memory ? sprof_error_no_memory(err) : true;
}
