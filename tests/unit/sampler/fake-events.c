/*
 * What happens to the fake threads, and what the sampler does to them: births, execs, ends, interrupts, stops.
 */
#include "tests/unit/sampler/fake-parts.h"

#include <signal.h>

void fake_bear(struct fake_world *world, struct fake_thread *thread)
{
	struct sprof_process *process = thread->thread.process;

	thread->is_born = true;
	thread->thread.seen_ns = world->now_ns;
	world->table_of_threads[world->alive_count++] = &thread->thread;
	world->seen++;
	if (!process->threads++)
		world->process_table[world->process_count++] = process;
	if (!thread->act && !thread->act_ns)
		fake_begin_act(world, thread);
}

static struct sprof_event event_of(enum sprof_event_kind kind, struct fake_thread *thread)
{
	return (struct sprof_event){.kind = kind, .thread = &thread->thread};
}

static struct sprof_event execute(struct fake_world *world, struct fake_thread *thread)
{
	thread->program++;
	thread->act++;
	fake_begin_act(world, thread);
	thread->thread.process->maps.count = 0;
	thread->thread.process->executed_ns = world->now_ns;
	return event_of(SPROF_EVENT_EXEC, thread);
}

/* Reports what has happened and was not reported yet. */
static struct sprof_event report(struct fake_world *world)
{
	for (size_t i = 0; i < world->thread_count; i++) {
		struct fake_thread *thread = &world->threads[i];

		/* The kernel does not report its workers: find_workers() finds them. */
		if (!thread->is_born && !thread->thread.is_worker &&
			thread->birth_ns <= world->now_ns) {
			fake_bear(world, thread);
			if (world->options.by_kernel)
				return event_of(SPROF_EVENT_BORN, thread);
		}
		if (!thread->is_born || thread->is_told_end || fake_stands_still(thread))
			continue;
		if (thread->is_zombie && world->now_ns < thread->end_ns + thread->unreaped_ns)
			continue;
		if (thread->is_zombie) {
			thread->is_told_end = true;
			thread->thread.phase = SPROF_THREAD_ENDED;
			return event_of(SPROF_EVENT_ENDED, thread);
		}
		if (fake_doing(thread) == DOING_EXEC)
			return execute(world, thread);
		if (fake_stops_now(world, thread)) {
			thread->thread.phase = SPROF_THREAD_STOPPED;
			thread->thread.stops++;
			return event_of(SPROF_EVENT_STOPPED, thread);
		}
	}
	return (struct sprof_event){
		.kind = world->alive_count ? SPROF_EVENT_TIMEOUT : SPROF_EVENT_EMPTY};
}

static void hold_up(struct fake_world *world)
{
	if (!world->hold_up_ns || world->now_ns < world->hold_up_ns)
		return;
	world->hold_up_ns = 0;
	fake_pass(world, world->stall_length_ns);
}

static struct sprof_event next_event(struct sprof_target *target, uint64_t deadline_ns)
{
	struct fake_world *world = fake_current;
	/* Small enough against a period, and large enough for runs of many seconds. */
	const uint64_t step_ns = world->options.rate_hz > 200 ? 5 * US : 50 * US;
	struct sprof_event event = report(world);

	while (event.kind == SPROF_EVENT_TIMEOUT && world->now_ns < deadline_ns) {
		uint64_t left = deadline_ns - world->now_ns;

		if (world->orders_sent < world->order_count &&
			world->now_ns >= world->orders[world->orders_sent].ns) {
			world->orders_sent++;
			return (struct sprof_event){
				.kind = SPROF_EVENT_SIGNAL, .info = {.si_signo = SIGUSR2}};
		}
		if (world->signal_ns && world->now_ns >= world->signal_ns) {
			world->signal_ns = 0;
			return (struct sprof_event){
				.kind = SPROF_EVENT_SIGNAL, .info = {.si_signo = SIGINT}};
		}
		fake_pass(world, left < step_ns ? left : step_ns);
		event = report(world);
	}
	hold_up(world);
	return event;
}

static struct sprof_event spin(
	struct sprof_target *target, const struct sprof_thread *thread, uint64_t deadline_ns)
{
	struct fake_world *world = fake_current;
	struct fake_thread *fake = fake_ask(world, thread);

	while (world->now_ns < deadline_ns) {
		if (!fake->is_zombie && fake_stops_now(world, fake)) {
			fake->thread.phase = SPROF_THREAD_STOPPED;
			fake->thread.stops++;
			return event_of(SPROF_EVENT_STOPPED, fake);
		}
		fake_pass(world, US);
	}
	return (struct sprof_event){.kind = SPROF_EVENT_TIMEOUT};
}

static void stall(struct fake_world *world)
{
	if (!world->stall_ns || world->now_ns < world->stall_ns)
		return;
	world->stall_ns = 0;
	fake_pass(world, world->stall_length_ns);
}

static bool interrupt(struct sprof_thread *thread)
{
	struct fake_world *world = fake_current;
	struct fake_thread *fake = (struct fake_thread *)thread;

	if (thread->phase != SPROF_THREAD_RUNNING && thread->phase != SPROF_THREAD_LISTENING)
		fake_wrong(world, fake, "interrupted in the wrong phase");
	if (world->is_off)
		fake_wrong(world, fake, "interrupted while sampling is off");
	if (!fake->said_running)
		fake_wrong(world, fake, "interrupted, though it was said to sleep");
	if (thread->is_worker)
		fake_wrong(world, fake, "interrupted, though it is a worker of the kernel");
	fake_ask(world, thread);
	if (fake->is_zombie)
		return false;
	world->interrupts++;
	thread->phase = SPROF_THREAD_INTERRUPTED;
	fake->stop_ns = world->now_ns + fake->latency_ns;
	stall(world);
	return true;
}

static void resume(struct sprof_thread *thread)
{
	struct fake_world *world = fake_current;
	struct fake_thread *fake = (struct fake_thread *)thread;

	if (thread->phase != SPROF_THREAD_STOPPED)
		fake_wrong(world, fake, "let go on, though it does not stand still");
	thread->phase = SPROF_THREAD_RUNNING;
	fake->stop_ns = 0;
}

static void release(struct sprof_target *target, struct sprof_thread *thread)
{
	struct fake_world *world = fake_current;
	struct sprof_process *process = thread->process;

	if (thread->sampling)
		fake_wrong(world, (struct fake_thread *)thread, "released with its memory");
	for (size_t i = 0; i < world->alive_count; i++) {
		if (world->table_of_threads[i] == thread)
			world->table_of_threads[i] = world->table_of_threads[--world->alive_count];
	}
	if (--process->threads)
		return;
	if (process->sampling)
		fake_wrong(world, (struct fake_thread *)thread, "its process goes with memory");
	for (size_t i = 0; i < world->process_count; i++) {
		if (world->process_table[i] == process)
			world->process_table[i] = world->process_table[--world->process_count];
	}
}

void fake_events_init(struct fake_world *world)
{
	world->table.next_event = next_event;
	world->table.spin = spin;
	world->table.interrupt = interrupt;
	world->table.resume = resume;
	world->table.release = release;
}
