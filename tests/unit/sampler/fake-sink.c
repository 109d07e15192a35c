/*
 * The sink of a fake world: compares everything reported with what the threads did.
 */
#include "tests/unit/sampler/fake-parts.h"

#include <stdio.h>

static struct fake_thread *find(struct fake_world *world, uint32_t id)
{
	return &world->threads[id];
}

static bool take_thread(void *data, const struct sprof_thread_record *record)
{
	find(data, record->id)->told++;
	return true;
}

static bool take_stack(void *data, const struct sprof_stack_view *stack, uint32_t *ret_id)
{
	struct fake_world *world = data;
	uint64_t pc = stack->count ? stack->frames[0].offset : 0;
	size_t i = world->stack_base;

	while (i < world->stack_count && world->stacks[i] != pc)
		i++;
	if (i == FAKE_STACKS)
		return false;
	world->stacks[i] = pc;
	world->stack_count = i == world->stack_count ? i + 1 : world->stack_count;
	*ret_id = (uint32_t)i;
	return true;
}

static enum sprof_state state_of(enum doing doing)
{
	switch (doing) {
	case DOING_USER:
	case DOING_EXEC:
	case DOING_END:
		return SPROF_STATE_USER;
	case DOING_CALL:
		return SPROF_STATE_SYS;
	case DOING_DISK:
		return SPROF_STATE_DISK;
	case DOING_GROUP_STOP:
		return SPROF_STATE_STOPPED;
	case DOING_SLEEP:
	case DOING_RESTART:
	case DOING_FAULT:
	case DOING_READY:
		break;
	}
	return SPROF_STATE_SLEEP;
}

/* Whether the thread may have been in this act at the tick, or since. */
static bool is_plausible(
	const struct fake_thread *thread, const struct sprof_sample *sample, uint64_t pc)
{
	size_t act = pc & 0xffff;
	enum sprof_state state;

	if (act > thread->act || act > thread->act_count)
		return false;
	/* For a thread that has just been woken, nothing tells that it waited for a disk. */
	if (sample->state == SPROF_STATE_SLEEP && act + 1 < thread->act_count &&
		thread->acts[act + 1].doing == DOING_READY)
		return true;
	state = act < thread->act_count ? state_of(thread->acts[act].doing) : SPROF_STATE_SLEEP;
	return state == sample->state;
}

static void count_tick(struct fake_world *world, const struct sprof_sample *sample)
{
	if (sample->thread || sample->is_further || sample->time_ns <= world->last_tick_ns)
		return;
	world->last_tick_ns = sample->time_ns;
	world->ticks++;
}

static void count_holder(struct fake_world *world, struct fake_thread *waiter,
	const struct sprof_holder *told, uint32_t count, uint64_t ns)
{
	struct fake_thread *holder = find(world, told->thread);

	waiter->last_holder = told->thread;
	holder->held_ns += ns;
	if (told->stack == SPROF_RECORD_NONE)
		waiter->placeless += count;
	else if (world->stacks[told->stack] != fake_pc(holder))
		waiter->misplaced += count;
}

/* A worker of the kernel has no stack. */
static void check_place(struct fake_world *world, const struct fake_thread *thread,
	const struct sprof_sample *sample, uint64_t pc)
{
	char text[64];

	if (thread->thread.is_worker) {
		if (pc)
			fake_wrong(world, thread, "a stack of a worker");
		return;
	}
	if (((pc >> 24) & 0xff) != sample->thread)
		fake_wrong(world, thread, "another thread's stack");
	if (((pc >> 16) & 0xff) != thread->program && sample->time_ns >= thread->thread.seen_ns &&
		((pc >> 16) & 0xff) > thread->program)
		fake_wrong(world, thread, "a program of later");
	if (is_plausible(thread, sample, pc))
		return;
	snprintf(text, sizeof(text), "in act %u it was not in state %d", (unsigned)(pc & 0xffff),
		(int)sample->state);
	fake_wrong(world, thread, text);
}

static bool take_sample(void *data, const struct sprof_sample *sample)
{
	struct fake_world *world = data;
	struct fake_thread *thread = find(world, sample->thread);
	uint64_t pc = sample->stack < world->stack_count ? world->stacks[sample->stack] : 0;
	const uint32_t count = !sample->is_further;

	if (world->is_off)
		fake_wrong(world, thread, "a sample while sampling is off");
	if (!thread->told)
		fake_wrong(world, thread, "a sample of a thread that was not told");
	if (sample->stack < world->stack_base || sample->stack >= world->stack_count)
		fake_wrong(world, thread, "a stack of another sink, or none");
	if (sample->wait && sample->wait <= world->wait_base)
		fake_wrong(world, thread, "a wait of another sink");
	check_place(world, thread, sample, pc);
	/* A late sample may be of a moment after the beginning of the tick in which it came. */
	if (count &&
		(sample->time_ns == thread->last_sample_ns ||
			sample->time_ns == thread->one_before_ns))
		fake_wrong(world, thread, "two samples of one moment");
	if (sample->time_ns > world->now_ns)
		fake_wrong(world, thread, "a sample of the future");
	if (thread->lasts)
		fake_wrong(world, thread, "a sample behind the last charge");
	if (count) {
		thread->one_before_ns = thread->last_sample_ns;
		thread->last_sample_ns = sample->time_ns;
	}
	thread->samples += count;
	thread->states[sample->state] += count;
	thread->ns[sample->state] += sample->ns;
	thread->program_ns[((pc >> 16) & 0xff) % FAKE_PROGRAMS] += sample->ns;
	thread->queued_ns += sample->queue_ns;
	thread->holders += sample->holder ? count : 0;
	if (sample->holder)
		count_holder(world, thread, sample->holder, count, sample->ns);
	count_tick(world, sample);
	return true;
}

static bool take_charge(void *data, uint32_t id, const struct sprof_charge *charge)
{
	struct fake_thread *thread = find(data, id);

	if (thread->lasts)
		fake_wrong(data, thread, "charged behind its last charge");
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		thread->charged[i] += charge->times.ns[i];
	thread->charges++;
	thread->lasts += charge->last;
	return true;
}

static bool take_wait(void *data, const struct sprof_wait *wait, uint32_t *ret_id)
{
	struct fake_world *world = data;

	*ret_id = ++world->waits;
	return true;
}

static enum sprof_order on_signal(void *data, const siginfo_t *info)
{
	struct fake_world *world = data;

	return info->si_signo == SIGUSR2 ? world->orders[world->orders_done].order
					 : SPROF_ORDER_END;
}

void fake_mark(struct fake_world *world)
{
	for (size_t i = 0; i < world->thread_count; i++) {
		struct fake_thread *thread = &world->threads[i];

		thread->mark_ns = world->now_ns;
		thread->mark_cpu_ns = thread->cpu_ns;
	}
}

/* What the threads have had since the mark. One that was born since has all that it has. */
static void count_on_time(struct fake_world *world, struct fake_thread *thread)
{
	uint64_t end_ns = thread->end_ns ? thread->end_ns : world->now_ns;

	if (thread->is_born && end_ns > thread->mark_ns)
		thread->on_ns += end_ns -
			(thread->birth_ns > thread->mark_ns ? thread->birth_ns : thread->mark_ns);
	thread->on_cpu_ns += thread->cpu_ns - thread->mark_cpu_ns;
}

static void switch_to(struct fake_world *world, bool is_off)
{
	if (is_off == world->is_off)
		return;
	world->is_off = is_off;
	if (!is_off) {
		fake_mark(world);
		return;
	}
	for (size_t i = 0; i < world->thread_count; i++)
		count_on_time(world, &world->threads[i]);
}

static void on_done(void *data)
{
	struct fake_world *world = data;

	if (world->orders_done == world->orders_sent)
		return;
	switch (world->orders[world->orders_done++].order) {
	case SPROF_ORDER_ON:
		switch_to(world, false);
		break;
	case SPROF_ORDER_OFF:
		switch_to(world, true);
		break;
	case SPROF_ORDER_TOGGLE:
		switch_to(world, !world->is_off);
		break;
	case SPROF_ORDER_GO_ON:
	case SPROF_ORDER_END:
		break;
	}
}

static bool may_end_period(void *data)
{
	return true;
}

/*
 * Periods neither overlap nor leave a gap: merged, they are as long as all of them together. While sampling is
 * off, one more reading of the clock lies between.
 */
static void check_length(struct fake_world *world, uint64_t end_ns)
{
	const uint64_t counted = world->quality.duration_ns + world->quality.off_ns;
	const uint64_t reached = world->period_end_ns + counted;

	if (world->period_end_ns && (reached > end_ns || reached + SPROF_NS_PER_US < end_ns))
		fake_wrong(world, &world->threads[0], "a period is not as long as it counts");
	world->period_end_ns = end_ns;
}

/* The new sink knows nothing of what the old one got. */
static bool end_period(void *data, uint64_t end_ns, struct sprof_sink *sink)
{
	struct fake_world *world = data;

	check_length(world, end_ns);
	world->periods++;
	world->stack_base = world->stack_count;
	world->wait_base = world->waits;
	for (size_t i = 0; i < world->thread_count; i++) {
		if (!world->threads[i].is_told_end)
			world->threads[i].told = world->threads[i].lasts = 0;
	}
	return true;
}

void fake_sink_init(struct fake_world *world)
{
	world->sink = (struct sprof_sink){.data = world,
		.thread = take_thread,
		.stack = take_stack,
		.sample = take_sample,
		.charge = take_charge,
		.wait = take_wait};
	world->control =
		(struct sprof_control){.data = world, .signal = on_signal, .done = on_done};
	world->period_ends = (struct sprof_periods){world, may_end_period, end_period};
}

/* Each switch takes some time: a closing tick, and its wait for stops. */
static void check_on_time(struct fake_world *world, struct fake_thread *thread)
{
	uint64_t slack = 2 * MS * (world->order_count + 1), sum = 0, cpu;

	if (!world->is_off)
		count_on_time(world, thread);
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		sum += thread->charged[i];
	if (sum > thread->on_ns + slack || sum + slack < thread->on_ns)
		fake_wrong(world, thread, "its time is not that while sampling was on");
	cpu = thread->charged[SPROF_TIME_USER] + thread->charged[SPROF_TIME_SYS];
	if (cpu > thread->on_cpu_ns + slack || cpu + slack < thread->on_cpu_ns)
		fake_wrong(world, thread, "its CPU time is not that while sampling was on");
}

/* Its samples explain no time that it did not have, and none twice. */
static void check_ledger(struct fake_world *world, const struct fake_thread *thread)
{
	const uint64_t *ns = thread->ns;
	const uint64_t end_ns = thread->end_ns ? thread->end_ns : world->now_ns;
	const uint64_t off_ns = end_ns - thread->thread.seen_ns - thread->cpu_ns;

	if (ns[SPROF_STATE_USER] + ns[SPROF_STATE_SYS] > thread->cpu_ns)
		fake_wrong(world, thread, "its samples explain more CPU time than it had");
	if (ns[SPROF_STATE_SLEEP] + ns[SPROF_STATE_DISK] + ns[SPROF_STATE_STOPPED] >
		off_ns + MS + 10 * world->jiffy_ns)
		fake_wrong(world, thread, "its samples explain more time off the CPU than it had");
	if (thread->queued_ns > thread->runq_ns)
		fake_wrong(world, thread, "its samples explain more run-queue time than it had");
}

static void check_time(struct fake_world *world, struct fake_thread *thread)
{
	uint64_t end_ns = thread->is_zombie && thread->end_ns < world->end_ns ? thread->end_ns
									      : world->end_ns;
	uint64_t wall = end_ns - thread->thread.seen_ns, sum = 0, cpu;
	/* The world goes on while the run waits for its last stop. */
	uint64_t slack = 3 * MS + (world->now_ns > end_ns ? world->now_ns - end_ns : 0);

	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		sum += thread->charged[i];
	/* The last tick is some time before the end, and the end is read some time later. */
	if (world->options.mode != SPROF_MODE_WALL || world->options.once)
		return;
	if (world->order_count || world->options.starts_off) {
		check_on_time(world, thread);
		return;
	}
	if (sum > wall + 30 * MS + slack)
		fake_wrong(world, thread, "more time than there was");
	if (sum + 3 * MS < wall)
		fake_wrong(world, thread, "time was lost");
	cpu = thread->charged[SPROF_TIME_USER] + thread->charged[SPROF_TIME_SYS];
	if (cpu > thread->cpu_ns || cpu + slack < thread->cpu_ns)
		fake_wrong(world, thread, "its CPU time is another");
}

void fake_check_end(struct fake_world *world, struct fake_thread *thread)
{
	if (!thread->is_born)
		return;
	if (thread->thread.phase == SPROF_THREAD_INTERRUPTED ||
		thread->thread.phase == SPROF_THREAD_STOPPED)
		fake_wrong(world, thread, "a stop is outstanding");
	if (thread->thread.sampling)
		fake_wrong(world, thread, "its memory is left");
	if (thread->timer)
		fake_wrong(world, thread, "its timer is left");
	/* Nobody heard of a thread that lived only while sampling was off. */
	if (thread->lasts != (thread->told > 0))
		fake_wrong(world, thread, "not charged for the last time exactly once");
	check_ledger(world, thread);
	check_time(world, thread);
}
