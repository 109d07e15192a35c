/*
 * What the sampler keeps of each thread: its account with the kernel, its name, its end.
 */
#include "sampler/sampler-internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"

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

/* Born under our eyes, and not before the first sample. */
static bool is_all_ours(const struct sampler *sampler, const struct sprof_thread *thread)
{
	return thread->born &&
		(!sampler->options->delay_ns || thread->seen_ns >= sampler->pace.begin_ns);
}

/* A thread that was born under our eyes has used nothing before; any other begins with what it has. */
static bool read_start(
	const struct sampler *sampler, struct sprof_thread *thread, struct sprof_figures *ret)
{
	struct sprof_proc_stat stat;

	if (is_all_ours(sampler, thread)) {
		*ret = (struct sprof_figures){.time_ns = thread->seen_ns};
		return true;
	}
	return read_figures(thread, ret, &stat);
}

struct sampling *sprof_sampling_of(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	struct sprof_figures start;

	if (sampling)
		return sampling;
	if (!read_start(sampler, thread, &start))
		return NULL;
	sampling = calloc(1, sizeof(*sampling));
	if (!sampling) {
		sampler->out_of_memory = true;
		return NULL;
	}
	sprof_account_init(&sampling->account, &start);
	sampling->window_ns = start.time_ns;
	sprof_copy_plan_init(&sampling->copy);
	thread->sampling = sampling;
	sprof_facts_begin(thread, is_all_ours(sampler, thread));
	sprof_sampling_name(sampler, thread, true);
	return sampling;
}

/* The command line, its words separated by blanks; the comm for a process without one. */
static char *read_command(pid_t pid, const char *comm)
{
	char path[64];
	size_t size;
	char *text;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	text = sprof_proc_read_whole(path, &size);
	if (!text || !size) {
		free(text);
		return strdup(comm);
	}
	while (size && !text[size - 1])
		size--;
	for (size_t i = 0; i < size; i++) {
		if (!text[i])
			text[i] = ' ';
	}
	return text;
}

void sprof_sampling_name(struct sampler *sampler, struct sprof_thread *thread, bool new_program)
{
	const struct sprof_sink *sink = sampler->parts->sink;
	struct sampling *sampling = thread->sampling;
	SPROF_AUTO_FREE char *command = NULL;
	struct sprof_proc_stat stat;
	struct sprof_thread_record record = {
		.id = thread->id,
		.pid = thread->process->pid,
		.tid = thread->tid,
		.name = sampling->name,
	};

	if (!sprof_thread_read_stat(thread, &stat)) {
		if (sampling->name[0])
			return;
		stat.comm[0] = '\0';
	}
	if (!new_program && !strcmp(stat.comm, sampling->name))
		return;
	memcpy(sampling->name, stat.comm, sizeof(sampling->name));
	if (new_program)
		command = read_command(thread->process->pid, stat.comm);
	record.process_name = command;
	if (!sink->thread(sink->data, &record))
		sampler->out_of_memory = true;
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

void sprof_sampling_charge(struct sampler *sampler, struct sprof_thread *thread)
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

bool sprof_sampling_has_time_left(
	const struct sampler *sampler, const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	return sampling->window_ns < sampler->tick.ns;
}

void sprof_sampling_settle(struct sampler *sampler, struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	if (sampling)
		charge(sampler, thread, sprof_sampling_has_time_left(sampler, thread), true);
}

void sprof_sampling_restart(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;

	if (!sampling)
		return;
	assert(!sampling->owed.count); /* the closing tick has settled that */
	sampling->sleep.active = sampling->lost = sampling->wait.lock.active = false;
	sampling->wait.id = SPROF_WAIT_NONE;
	sampling->sleep.ticks = sampling->sleep.skip = sampling->sleep.skipped = 0;
	sprof_facts_begin(thread, false);
	sprof_sampling_name(sampler, thread, true);
}

void sprof_sampling_end(struct sampler *sampler, struct sprof_thread *thread, bool with_figures)
{
	/* A thread that lived between two ticks has its figures too. */
	if (sprof_sampling_of(sampler, thread)) {
		sprof_reuse_flush(sampler, thread);
		sprof_owed_forgive(sampler, thread);
		sprof_samples_flush(sampler, thread);
		charge(sampler, thread, with_figures, true);
	}
	sprof_samples_forget(&sampler->samples, thread);
	free(thread->sampling);
	thread->sampling = NULL;
	/* What it did since its last sample may have been to load something. */
	thread->process->change++;
}
