/*
 * Sleepers without a stack that could be read. A process may have made itself unreadable
 * (PR_SET_DUMPABLE) for an ordinary user: the kernel shows that a thread sleeps, but not where. And
 * the kernel's own workers in a process, such as io_uring's, have no user code. The sample has an
 * empty stack with that reason, and the thread is not stopped. Does not handle running threads:
 * they are sampled as usual, through the files that attach/thread.c keeps open.
 */
#include "sampler/tick/peek.h"

static enum sprof_state state_of(const struct sprof_thread *thread, char letter)
{
	if (thread->phase == SPROF_THREAD_LISTENING || letter == 'T')
		return SPROF_STATE_STOPPED;
	return letter == 'D' ? SPROF_STATE_DISK : SPROF_STATE_SLEEP;
}

static enum peek_outcome observe(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, const struct sprof_proc_stat *stat, enum sprof_end end,
	struct observation *ret)
{
	if (stat->state == 'Z' || stat->state == 'X')
		return PEEK_NOTHING;
	if (stat->state == 'R')
		return PEEK_AWAKE;
	if (!run->options->once && sprof_peek_is_in_stop(thread, stat->state))
		return PEEK_IN_STOP;
	*ret = (struct observation){
		.thread = thread,
		.by = OBSERVED_BY_PEEK,
		.time_ns = sight->tick_ns,
		.state = state_of(thread, stat->state),
		.end = end,
		.call = {.kind = SPROF_PROC_SYSCALL_OUTSIDE, .number = -1},
		.sleeps_on = !run->quality->schedstat_missing,
		.look = {now_of(run), sight->schedstat},
	};
	return PEEK_TAKEN;
}

enum peek_outcome sprof_peek_denied(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *ret)
{
	const struct sprof_world *world = run->world;
	struct sprof_proc_stat stat;

	if (!world->read_stat(world->data, thread, &stat))
		return PEEK_NOTHING;
	return observe(run, thread, sight, &stat, SPROF_END_DENIED, ret);
}

enum peek_outcome sprof_peek_worker(const struct run *run, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *ret)
{
	const struct sprof_world *world = run->world;
	struct sprof_proc_stat stat;

	if (!world->read_stat(world->data, thread, &stat) || (stat.flags & SPROF_PF_EXITING) ||
		!(stat.flags & (SPROF_PF_IO_WORKER | SPROF_PF_USER_WORKER)))
		return PEEK_NOTHING;
	return observe(run, thread, sight, &stat, SPROF_END_ROOT, ret);
}
