/*
 * What the threads of the fake world do: each follows its script by its own time, which pauses
 * during a stop. Does not simulate CPUs: each running thread has its own.
 */
#include "tests/unit/sampler/fake-parts.h"

#include <stdio.h>

void fake_wrong(struct fake_world *world, const struct fake_thread *thread, const char *what)
{
	if (!world->wrong[0])
		snprintf(world->wrong, sizeof(world->wrong), "thread %u at %llu us, act %zu: %s",
			thread ? thread->thread.id : 0, (unsigned long long)(world->now_ns / US),
			thread ? thread->act : 0, what);
}

uint64_t fake_random(struct fake_world *world, uint64_t below)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return below ? world->random % below : 0;
}

enum doing fake_doing(const struct fake_thread *thread)
{
	return thread->act < thread->act_count ? thread->acts[thread->act].doing : DOING_SLEEP;
}

uint64_t fake_known_cpu_ns(const struct fake_world *world, const struct fake_thread *thread)
{
	const uint64_t late_ns = world->jiffy_ns ? world->now_ns % world->jiffy_ns : 0;

	if (!fake_runs(fake_doing(thread)))
		return thread->cpu_ns;
	return thread->cpu_ns - (late_ns < thread->act_ns ? late_ns : thread->act_ns);
}

bool fake_runs(enum doing doing)
{
	return doing == DOING_USER || doing == DOING_CALL;
}

bool fake_is_blocked(enum doing doing)
{
	return doing == DOING_SLEEP || doing == DOING_RESTART || doing == DOING_DISK ||
		doing == DOING_GROUP_STOP || doing == DOING_FAULT;
}

bool fake_stands_still(const struct fake_thread *thread)
{
	return thread->thread.phase == SPROF_THREAD_STOPPED;
}

/* Its stop has come, and nobody has collected it yet. */
bool fake_stops_now(const struct fake_world *world, const struct fake_thread *thread)
{
	enum doing doing = fake_doing(thread);

	return thread->thread.phase == SPROF_THREAD_INTERRUPTED &&
		thread->stop_ns <= world->now_ns && doing != DOING_DISK && doing != DOING_READY &&
		world->now_ns >= thread->birth_ns + thread->deaf_ns;
}

static void end(struct fake_world *world, struct fake_thread *thread)
{
	thread->is_zombie = true;
	thread->end_ns = world->now_ns;
	thread->stop_ns = 0;
}

void fake_begin_act(struct fake_world *world, struct fake_thread *thread)
{
	enum doing doing = fake_doing(thread);

	thread->act_ns = 0;
	/* The thread itself restarts a call. */
	if (doing == DOING_RESTART)
		thread->timeslices++;
	if (fake_runs(doing)) {
		thread->timeslices++;
		if (!thread->ran_ns)
			thread->ran_ns = world->now_ns;
	}
	if (doing == DOING_FAULT)
		thread->faults++;
	if (doing != DOING_READY && doing != DOING_RESTART)
		thread->stack_act = thread->act;
	if (doing == DOING_END)
		end(world, thread);
}

static void work(struct fake_thread *thread, uint64_t ns)
{
	enum doing doing = fake_doing(thread);

	thread->act_ns += ns;
	thread->cpu_ns += fake_runs(doing) ? ns : 0;
	thread->user_ns += doing == DOING_USER ? ns : 0;
	thread->runq_ns += doing == DOING_READY ? ns : 0;
	thread->blocked_ns += fake_is_blocked(doing) ? ns : 0;
}

/* Advances a thread by ns of its own time. */
static void go_on(struct fake_world *world, struct fake_thread *thread, uint64_t ns)
{
	while (ns && !thread->is_zombie && thread->act < thread->act_count &&
		fake_doing(thread) != DOING_EXEC) {
		uint64_t left = thread->acts[thread->act].ns - thread->act_ns;
		uint64_t part = ns < left ? ns : left;

		fake_timer_pass(world, thread, world->now_ns - ns, part);
		work(thread, part);
		ns -= part;
		if (part < left)
			return;
		thread->act++;
		fake_begin_act(world, thread);
	}
	/* After its script it sleeps. */
	if (!thread->is_zombie && thread->act >= thread->act_count)
		thread->blocked_ns += ns;
}

void fake_pass(struct fake_world *world, uint64_t ns)
{
	uint64_t before = world->now_ns;
	bool had_stopped[FAKE_THREADS];

	for (size_t i = 0; i < world->thread_count; i++)
		had_stopped[i] = fake_stops_now(world, &world->threads[i]);
	world->now_ns += ns;
	if (world->owner_ns && world->now_ns >= world->owner_ns)
		world->words[FAKE_OWNER] = world->next_owner;
	for (size_t i = 0; i < world->thread_count; i++) {
		struct fake_thread *thread = &world->threads[i];
		uint64_t from = before > thread->birth_ns ? before : thread->birth_ns;

		if (world->now_ns <= from || thread->is_zombie)
			continue;
		if (fake_stands_still(thread) || had_stopped[i])
			thread->stood_ns += world->now_ns - from;
		else
			go_on(world, thread, world->now_ns - from);
	}
}

/* A question takes some time. */
struct fake_thread *fake_ask(struct fake_world *world, const struct sprof_thread *thread)
{
	fake_pass(world, 200 + fake_random(world, world->cost_ns));
	return thread ? (struct fake_thread *)thread : NULL;
}

/* The pc tells the thread, its program and the act. */
uint64_t fake_pc(const struct fake_thread *thread)
{
	return 0x100000000u + ((uint64_t)thread->thread.id << 24) +
		((uint64_t)thread->program << 16) + thread->stack_act;
}
