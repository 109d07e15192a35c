/*
 * Stacks of threads at single events. They go to the sink without a sample. Does not decide which
 * events have one.
 */
#include "sampler/loop/loop.h"
#include "sampler/stack/mappings.h"

static bool expect(void *data, struct sprof_thread *thread)
{
	struct event_stacks *stacks = data;

	if (!sprof_book_open(stacks->book, thread))
		return !stacks->run->out_of_memory;
	sprof_mappings_begin(stacks->run->world, thread->process);
	/* An event has one copy only: there is no next one that could be larger. */
	if (stacks->run->options->no_samples)
		sprof_copy_plan_expect_all(thread);
	sprof_copy_plan_expect(thread);
	return sprof_interpreted_prepare(stacks->run->world, thread, &stacks->peeking.buffer) &&
		sprof_copy_reserve_most(&stacks->peeking.buffer);
}

static bool is_expected(const struct event_stacks *stacks, const struct sprof_thread *thread)
{
	return thread->sampling && thread->process->sampling && stacks->peeking.buffer.bytes;
}

static bool copy(void *data, struct sprof_thread *thread, bool is_last)
{
	struct event_stacks *stacks = data;
	const struct sprof_world *world = stacks->run->world;
	struct sprof_snapshot *snapshot = &stacks->peeking.snapshot;
	struct copying copying;

	stacks->taken = (struct observation){
		.thread = thread, .by = OBSERVED_BY_STOP, .time_ns = now_of(stacks->run)};
	if (!is_expected(stacks, thread) || !world->see_registers(thread, &snapshot->regs))
		return false;
	if (is_last)
		sprof_mappings_read(world, thread->process);
	copying = sprof_copying_of(world, thread, &stacks->peeking.buffer);
	if (sprof_copy_stack(&copying, NULL, snapshot))
		stacks->taken.snapshot = snapshot;
	return stacks->taken.snapshot;
}

static bool peek(void *data, struct sprof_thread *thread)
{
	struct event_stacks *stacks = data;
	const struct sprof_world *world = stacks->run->world;
	struct peek_sight sight = {.tick_ns = now_of(stacks->run)};

	return is_expected(stacks, thread) && world->read_schedstat(thread, &sight.schedstat) &&
		world->read_syscall(thread, &sight.call) &&
		sight.call.kind == SPROF_PROC_SYSCALL_INSIDE &&
		sprof_peek(&stacks->peeking, stacks->run, thread, &sight, &stacks->taken) ==
		PEEK_TAKEN &&
		stacks->taken.snapshot;
}

/* What the walk may need of the stack beyond the copy is missing: the walk ends there. */
static bool take(void *data, struct sprof_thread *thread, const struct sprof_perf_user *user,
	uint64_t time_ns)
{
	struct event_stacks *stacks = data;
	const struct sprof_maps *maps = sprof_mappings_at(thread->process, time_ns);

	if (!is_expected(stacks, thread) ||
		(maps == &thread->process->maps && time_ns < thread->process->executed_ns))
		return false;
	stacks->peeking.snapshot = (struct sprof_snapshot){
		.regs = user->regs,
		.stack = sprof_copy_by_kernel(maps, user, user->stack_size),
	};
	stacks->taken = (struct observation){
		.thread = thread,
		.by = OBSERVED_BY_KERNEL,
		.time_ns = time_ns,
		.snapshot = &stacks->peeking.snapshot,
	};
	return true;
}

/* Between two events the program may have loaded a library. */
static bool walk(void *data, uint32_t *ret_stack)
{
	struct event_stacks *stacks = data;
	const struct sprof_sink *sink = stacks->run->sink;
	struct walked walked;

	sprof_mappings_doubt(&stacks->taken.thread->process->sampling->mappings);
	walked = sprof_walk(stacks->run, &stacks->taken);
	/* Beside samples, only those count. */
	if (stacks->run->options->no_samples)
		stacks->run->quality->merges[walked.stack.merge]++;
	return sink->stack(sink->data, &walked.stack, ret_stack);
}

void sprof_event_stacks_init(struct loop *loop)
{
	struct event_stacks *stacks = &loop->event_stacks;

	*stacks = (struct event_stacks){
		.run = &loop->run,
		.book = &loop->book,
		.offered = {stacks, expect, copy, peek, take, walk},
	};
	for (size_t i = 0; loop->events && loop->events[i]; i++) {
		const struct sprof_event_source *source = loop->events[i];

		if (source->offer && !source->offer(source->data, &stacks->offered))
			loop->run.out_of_memory = true;
	}
}
