/*
 * Sleepers of a process that made itself unreadable (PR_SET_DUMPABLE), watched by an ordinary user. That a
 * thread sleeps can be read, not where: its sample has an empty stack with that reason, and it is not stopped
 * for it. Its threads that run are sampled as any, by the files that attach/thread.c keeps open.
 */
#include "sampler/sampler-internal.h"

static enum sprof_state state_of(const struct sprof_thread *thread, char letter)
{
	if (thread->phase == SPROF_THREAD_LISTENING || letter == 'T')
		return SPROF_STATE_STOPPED;
	return letter == 'D' ? SPROF_STATE_DISK : SPROF_STATE_SLEEP;
}

/* What the next ticks reuse. */
static void remember(struct sampler *sampler, struct sampling *sampling,
	const struct sprof_proc_schedstat *schedstat, const struct sprof_proc_stat *stat)
{
	struct known_sleep *sleep = &sampling->sleep;

	sampling->last.end = SPROF_END_DENIED;
	sampling->last.way = SPROF_WAY_TABLES;
	sampling->wait.id = SPROF_WAIT_NONE;
	sampling->wait.lock.active = false;
	sprof_reuse_begin(sampler, sleep, schedstat);
	sleep->figures = sprof_figures_make(sampler->tick.ns, schedstat, stat);
}

bool sprof_denied_take(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_schedstat *schedstat)
{
	const struct sprof_stack_view nothing = {.end = SPROF_END_DENIED};
	const struct sprof_sink *sink = sampler->parts->sink;
	struct sampling *sampling = thread->sampling;
	struct sprof_proc_stat stat;

	if (!sprof_thread_read_stat(thread, &stat) || stat.state == 'Z' || stat.state == 'X')
		return true;
	if (stat.state == 'R')
		return false;
	remember(sampler, sampling, schedstat, &stat);
	sampling->last.state = state_of(thread, stat.state);
	if (!sink->stack(sink->data, &nothing, &sampling->last.stack))
		sampler->out_of_memory = true;
	if (sprof_mode_takes(sampler->options->mode, sampling->last.state)) {
		sprof_samples_emit(sampler, thread, 1);
		sampler->quality->samples_peeked++;
		sampler->quality->stacks[SPROF_END_DENIED]++;
	}
	sprof_charge_window(sampler, thread);
	return true;
}
