/*
 * Handing out the time that the kernel has accounted to a thread. Knows when its figures are exact, and
 * when they are not worth reading; what they mean is account.c's matter.
 */
#include "base/clock.h"
#include "sampler/sampler-internal.h"

enum {
	WINDOW_NS = SPROF_NS_PER_S,
	FEW_THREADS = 100, /* up to so many their counters are read with each charge */
};

/* Exact only while the thread is off the CPU, or right after a stop. False: it is gone. */
static bool read_figures(
	struct sprof_thread *thread, struct sprof_figures *ret, struct sprof_proc_stat *ret_stat)
{
	struct sprof_proc_schedstat schedstat;

	if (!sprof_thread_read_stat(thread, ret_stat) ||
		!sprof_thread_read_schedstat(thread, &schedstat))
		return false;
	*ret = sprof_figures_make(sprof_clock_now_ns(), &schedstat, ret_stat);
	return true;
}

bool sprof_charge_begin(struct sprof_thread *thread, bool is_all_ours, struct sprof_figures *ret)
{
	struct sprof_proc_stat stat;

	if (is_all_ours) {
		*ret = (struct sprof_figures){.time_ns = thread->seen_ns};
		return true;
	}
	return read_figures(thread, ret, &stat);
}

/* A sleeper's figures are known already, but for the time; with many of them it counts not to read. */
static bool is_known(const struct known_sleep *sleep, const struct tick *tick)
{
	return sleep->active && sleep->figures.time_ns && !tick->closing &&
		tick->thread_count > FEW_THREADS;
}

/* Of the times only what the mode counts. */
static void hand_over(struct sampler *sampler, const struct sprof_thread *thread,
	struct sprof_times times, bool last)
{
	const struct sprof_sink *sink = sampler->parts->sink;

	for (int i = 0; i < SPROF_TIME_COUNT; i++) {
		if (!sprof_mode_counts(sampler->options->mode, (enum sprof_time_class)i))
			times.ns[i] = 0;
	}
	if (!sink->charge(sink->data, thread->id, &times, last))
		sampler->out_of_memory = true;
}

static void charge_sleeper(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;

	sampling->sleep.figures.time_ns = sampling->window_ns = sprof_clock_now_ns();
	hand_over(sampler, thread,
		sprof_account_advance(&sampling->account, &sampling->sleep.figures), false);
}

static void charge(
	struct sampler *sampler, struct sprof_thread *thread, bool with_figures, bool last)
{
	struct sampling *sampling = thread->sampling;
	struct sprof_times times = {0};
	struct sprof_proc_stat stat;
	struct sprof_figures now;

	if (with_figures && read_figures(thread, &now, &stat)) {
		now.more_to_come = !last && !sampler->tick.closing;
		times = sprof_account_advance(&sampling->account, &now);
		sampling->window_ns = now.time_ns;
		if (last || sampler->tick.closing || sampler->tick.thread_count <= FEW_THREADS)
			sprof_facts_tell(sampler, thread, &stat);
	}
	hand_over(sampler, thread, times, last);
}

void sprof_charge_window(struct sampler *sampler, struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	if (!sampler->tick.closing && sampler->tick.ns < sampling->window_ns + WINDOW_NS)
		return;
	if (is_known(&sampling->sleep, &sampler->tick)) {
		charge_sleeper(sampler, thread);
		return;
	}
	charge(sampler, thread, true, false);
	sprof_sampling_name(sampler, thread, false);
}

bool sprof_charge_is_behind(const struct sampler *sampler, const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	return sampling->window_ns < sampler->tick.ns;
}

void sprof_charge_last(struct sampler *sampler, struct sprof_thread *thread, bool with_figures)
{
	charge(sampler, thread, with_figures, true);
}
