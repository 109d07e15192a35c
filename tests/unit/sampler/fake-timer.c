/*
 * Timers in the kernel of the fake world: a record for each period of CPU time. The stack of all threads is zeros, as deep as the thread says.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/sampler/fake-parts.h"

enum { LEAST_STACK = 64 };

static struct sprof_perf_timer_record *add(struct sprof_perf_timer *timer)
{
	if (timer->count == timer->room) {
		timer->lost++;
		return NULL;
	}
	return &timer->records[(timer->first + timer->count++) % FAKE_RECORDS];
}

static size_t depth_in_records(const struct fake_thread *thread)
{
	return thread->deeper ? thread->deeper : thread->deep;
}

/* Also of a thread that says nothing there is some stack. */
static size_t copied(const struct sprof_perf_timer *timer)
{
	const size_t depth = depth_in_records(timer->thread), deep = depth ? depth : LEAST_STACK;

	return deep < timer->stack_size ? deep : timer->stack_size;
}

static void record(const struct fake_world *world, struct sprof_perf_timer *timer, uint64_t time_ns)
{
	const struct fake_thread *thread = timer->thread;
	struct sprof_perf_timer_record *made = add(timer);

	if (!made)
		return;
	*made = (struct sprof_perf_timer_record){
		.kind = SPROF_PERF_TIMER_SAMPLE,
		.time_ns = time_ns,
		.in_kernel = fake_doing(thread) == DOING_CALL,
	};
	made->user.regs = (struct sprof_regs){.system_call = -1, .coming_call = -1};
	/* On no machine those of a thread in a system call, whose code would be looked at. */
	memset(made->user.regs.values, 0xff, sizeof(made->user.regs.values));
	sprof_regs_set(&made->user.regs, SPROF_REG_PC, fake_pc(thread));
	sprof_regs_set(&made->user.regs, SPROF_REG_SP, 0x7f0000000000u + thread->stack_act * 16);
	made->user.stack = world->zeros;
	made->user.stack_size = copied(timer);
}

void fake_timer_pass(
	struct fake_world *world, struct fake_thread *thread, uint64_t from_ns, uint64_t ns)
{
	struct sprof_perf_timer *timer = thread->timer;

	if (!timer || !fake_runs(fake_doing(thread)))
		return;
	while (timer->left_ns <= ns) {
		from_ns += timer->left_ns;
		ns -= timer->left_ns;
		timer->left_ns = timer->period_ns;
		record(world, timer, from_ns);
	}
	timer->left_ns -= ns;
}

static const struct fake_thread *thread_of(
	const struct fake_world *world, const struct sprof_snapshot *snapshot)
{
	return &world->threads[(snapshot->regs.values[SPROF_REG_PC] >> 24) & 0xff];
}

static bool is_record(const struct fake_world *world, const struct sprof_snapshot *snapshot)
{
	return snapshot->stack.bytes == world->zeros;
}

enum sprof_end fake_timer_end(const struct fake_world *world, const struct sprof_snapshot *snapshot)
{
	return is_record(world, snapshot) &&
			snapshot->stack.size < depth_in_records(thread_of(world, snapshot))
		? SPROF_END_STACK_COPY
		: SPROF_END_ROOT;
}

uint64_t fake_timer_outermost(const struct fake_world *world, const struct sprof_snapshot *snapshot)
{
	const struct fake_thread *thread = thread_of(world, snapshot);

	return snapshot->stack.base +
		(is_record(world, snapshot) ? depth_in_records(thread) : thread->deep);
}

static struct fake_thread *find(struct fake_world *world, pid_t tid)
{
	for (size_t i = 0; i < world->thread_count; i++) {
		if (world->threads[i].thread.tid == tid)
			return &world->threads[i];
	}
	return NULL;
}

static size_t room_for(const struct fake_world *world, size_t records)
{
	const size_t most = world->most_records ? world->most_records : FAKE_RECORDS;

	return records < most ? records : most;
}

static bool timer_open(struct sprof_perf_timer_plan *plan, struct sprof_perf_timer **ret,
	struct sprof_perf_denial *ret_denial)
{
	struct fake_world *world = fake_current;
	struct fake_thread *thread = find(world, plan->tid);

	fake_ask(world, &thread->thread);
	if (world->refuses_timers) {
		*ret_denial = (struct sprof_perf_denial){world->refuses_timers, EACCES};
		return false;
	}
	if (world->is_off)
		fake_wrong(world, thread, "a timer while sampling is off");
	*ret = calloc(1, sizeof(**ret));
	**ret = (struct sprof_perf_timer){
		.thread = thread,
		.period_ns = plan->period_ns,
		.left_ns = plan->period_ns,
		.stack_size = plan->stack_size,
		.room = room_for(world, plan->records),
	};
	plan->records = (*ret)->room;
	thread->timer = *ret;
	thread->timers++;
	thread->last_copy = plan->stack_size;
	world->ring_bytes += (*ret)->room * plan->stack_size;
	if (world->most_ring_bytes < world->ring_bytes)
		world->most_ring_bytes = world->ring_bytes;
	world->open_timers++;
	if (world->most_timers < world->open_timers)
		world->most_timers = world->open_timers;
	return true;
}

static void timer_close(struct sprof_perf_timer *timer)
{
	struct fake_world *world = fake_current;

	if (timer->thread->timer == timer)
		timer->thread->timer = NULL;
	world->open_timers--;
	world->ring_bytes -= timer->room * timer->stack_size;
	free(timer);
}

/* Those that the kernel could not write come behind those that it could. */
static bool take_more(struct fake_world *world, struct sprof_perf_timer *timer,
	struct sprof_perf_timer_record *ret)
{
	*ret = (struct sprof_perf_timer_record){.time_ns = world->now_ns};
	if (timer->lost) {
		ret->kind = SPROF_PERF_TIMER_LOST;
		ret->lost = timer->lost;
		timer->lost = 0;
		return true;
	}
	if (world->throttled_ns && world->now_ns > world->throttled_ns) {
		ret->kind = SPROF_PERF_TIMER_THROTTLED;
		world->throttled_ns = 0;
		return true;
	}
	return false;
}

static bool timer_take(struct sprof_perf_timer *timer, uint64_t until_ns, unsigned char *scratch,
	struct sprof_perf_timer_record *ret)
{
	struct fake_world *world = fake_current;

	if (!timer->count)
		return take_more(world, timer, ret);
	if (timer->records[timer->first].time_ns > until_ns)
		return false;
	*ret = timer->records[timer->first];
	timer->first = (timer->first + 1) % FAKE_RECORDS;
	timer->count--;
	timer->thread->records += ret->kind == SPROF_PERF_TIMER_SAMPLE;
	return true;
}

static void timer_set_period(const struct sprof_perf_timer *timer, uint64_t period_ns)
{
	struct fake_world *world = fake_current;
	struct sprof_perf_timer *own = timer->thread->timer;

	fake_ask(world, &timer->thread->thread);
	own->period_ns = own->left_ns = period_ns;
}

void fake_timer_init(struct fake_world *world)
{
	world->table.timer_open = timer_open;
	world->table.timer_close = timer_close;
	world->table.timer_take = timer_take;
	world->table.timer_set_period = timer_set_period;
}
