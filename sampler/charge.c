/*
 * Handing out the time that the kernel has accounted to a thread: when its figures are exact, and when
 * they are not worth reading. What they mean is in account.c.
 */
#include "base/clock.h"
#include "sampler/sampler-internal.h"

enum {
	WINDOW_NS = SPROF_NS_PER_S,
	FEW_THREADS = 100, /* up to so many their counters are read with each charge */
};

/* The machine's figures are in ticks: to read them once in a window is enough. */
static const struct sprof_proc_cpus *read_cpus(struct sampler *sampler)
{
	struct known_cpus *known = &sampler->cpus;
	uint64_t now = sprof_clock_now_ns();
	char text[256];

	if (known->read_ns && !sampler->tick.closing && now < known->read_ns + WINDOW_NS / 2)
		return &known->cpus;
	known->read_ns = now;
	if (sprof_proc_read_path("/proc/stat", text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_cpus(text, &known->cpus))
		known->cpus = (struct sprof_proc_cpus){0};
	return &known->cpus;
}

/* The switch of its end counts too. */
static uint64_t own_switches(const struct sprof_thread *thread, uint64_t voluntary)
{
	const struct sampling *sampling = thread->sampling;
	uint64_t others = thread->stops;

	others += thread->phase == SPROF_THREAD_ENDED || (sampling && sampling->has_ended);
	return voluntary > others ? voluntary - others : 0;
}

/* What sprof knows of the thread besides. */
static void complete(struct sampler *sampler, const struct sprof_thread *thread,
	const struct sprof_thread_facts *facts, struct sprof_figures *figures)
{
	const struct sampling *sampling = thread->sampling;

	figures->stood_ns = sampling ? sampling->stood_ns : 0;
	figures->cpus = *read_cpus(sampler);
	figures->has_switches = facts && facts->has_switches;
	if (figures->has_switches)
		figures->switches = own_switches(thread, facts->voluntary);
}

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

/* Of a thread whose birth was a stop of ours all switches since count; of any other those from now on. */
bool sprof_charge_begin(struct sampler *sampler, struct sprof_thread *thread, bool is_all_ours,
	struct sprof_figures *ret)
{
	struct sprof_thread_facts facts = {.has_switches = true};
	struct sprof_proc_stat stat = {0};

	if (!is_all_ours && !read_figures(thread, ret, &stat))
		return false;
	if (!is_all_ours || !thread->stops)
		sprof_facts_read(thread, &stat, false, &facts);
	if (is_all_ours)
		*ret = (struct sprof_figures){.time_ns = thread->seen_ns};
	complete(sampler, thread, &facts, ret);
	return true;
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
	complete(sampler, thread, NULL, &sampling->sleep.figures);
	hand_over(sampler, thread,
		sprof_account_advance(&sampling->account, &sampling->sleep.figures), false);
}

static void charge(
	struct sampler *sampler, struct sprof_thread *thread, bool with_figures, bool last)
{
	struct sampling *sampling = thread->sampling;
	bool few = sampler->tick.thread_count <= FEW_THREADS;
	bool tells = last || sampler->tick.closing || few;
	struct sprof_times times = {0};
	struct sprof_thread_facts facts;
	struct sprof_proc_stat stat;
	struct sprof_figures now;

	if (with_figures && read_figures(thread, &now, &stat)) {
		sprof_facts_read(thread, &stat, tells, &facts);
		complete(sampler, thread, &facts, &now);
		now.more_to_come = !last && !sampler->tick.closing && !sampling->has_ended;
		times = sprof_account_advance(&sampling->account, &now);
		sampling->window_ns = now.time_ns;
		if (tells)
			sprof_facts_tell(sampler, thread, facts);
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

void sprof_charge_ended(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;

	if (sampling->has_ended)
		return;
	sampling->has_ended = true;
	charge(sampler, thread, true, false);
}

bool sprof_charge_is_behind(const struct sampler *sampler, const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	return sampling->window_ns < sampler->tick.ns;
}

void sprof_charge_last(struct sampler *sampler, struct sprof_thread *thread, bool with_figures)
{
	const struct sampling *sampling = thread->sampling;

	charge(sampler, thread, with_figures && !sampling->has_ended, true);
}
