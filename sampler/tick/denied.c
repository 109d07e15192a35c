/*
 * Sleepers of a process that made itself unreadable (PR_SET_DUMPABLE), watched by an ordinary user.
 * The kernel shows that a thread sleeps, but not where: its sample has an empty stack with that
 * reason, and it is not stopped. Does not handle running threads: they are sampled as usual,
 * through the files that attach/thread.c keeps open.
 */
#include "sampler/tick/peek.h"

static enum sprof_state state_of(const struct sprof_thread *thread, char letter)
{
	if (thread->phase == SPROF_THREAD_LISTENING || letter == 'T')
		return SPROF_STATE_STOPPED;
	return letter == 'D' ? SPROF_STATE_DISK : SPROF_STATE_SLEEP;
}

enum peek_outcome sprof_peek_denied(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *ret)
{
	const struct sprof_world *world = run->world;
	struct sprof_proc_stat stat;

	if (!world->read_stat(world->data, thread, &stat) || stat.state == 'Z' || stat.state == 'X')
		return PEEK_NOTHING;
	if (stat.state == 'R')
		return PEEK_AWAKE;
	if (!run->options->once && sprof_peek_is_in_stop(thread, stat.state))
		return PEEK_IN_STOP;
	*ret = (struct observation){
		.thread = thread,
		.by = OBSERVED_BY_PEEK,
		.time_ns = sight->tick_ns,
		.state = state_of(thread, stat.state),
		.end = SPROF_END_DENIED,
		.call = {.kind = SPROF_PROC_SYSCALL_OUTSIDE, .number = -1},
		.sleeps_on = !run->quality->schedstat_missing,
		.look = {now_of(run), sight->schedstat},
		.slept = sprof_figures_make(sight->tick_ns, &sight->schedstat, &stat),
	};
	return PEEK_TAKEN;
}
