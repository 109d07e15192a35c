/*
 * Deciding: for every thread the cheapest way to an exact sample. Reuse: it has not run since it
 * was seen asleep. Peek: it sleeps. Timers or a stop: it runs. Does not take or book samples.
 */
#include "sampler/tick/tick.h"

#include "base/clock.h"
#include "sampler/sampled.h"
#include "sampler/stack/mappings.h"
#include "sampler/tick/reuse.h"
#include "sampler/tick/running.h"

enum {
	/* from the smallest copy to the largest, plus one for the other stack of a goroutine */
	TRIES_ONCE = 7,
	/* of looks at threads that fall asleep or wake between look and stop */
	ROUNDS = 4,
	ROUNDS_ONCE = 32,
	/* For how long timers must have covered all threads before ticks are left out. */
	SETTLED_NS = 100 * SPROF_NS_PER_MS,
	LATE_PERIODS = 2,
};

void sprof_ticking_finish(struct ticking *ticking)
{
	sprof_peek_finish(&ticking->peeking);
}

/* A thread that has not had a CPU yet has no stack of its own. */
static bool has_run(const struct run *run, struct sprof_thread *thread)
{
	const struct sprof_world *world = run->world;
	struct sampled *sampled = thread->sampling;
	struct sprof_proc_schedstat schedstat;

	if (sampled->life == SAMPLED_NEW &&
		(run->quality->schedstat_missing ||
			(world->read_schedstat(world->data, thread, &schedstat) &&
				schedstat.timeslices)))
		sampled->life = SAMPLED_ALIVE;
	return sampled->life != SAMPLED_NEW;
}

/*
 * If there is only one tick, a copy that was too small is repeated at once, while a larger one may
 * help.
 */
static enum peek_outcome peek_once(struct ticking *ticking, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *observation)
{
	enum peek_outcome outcome = PEEK_AWAKE;

	for (int tries = TRIES_ONCE; tries; tries--) {
		struct walked walked;

		outcome = sprof_peek(&ticking->peeking, ticking->run, thread, sight, observation);
		if (outcome != PEEK_TAKEN || !observation->snapshot || tries == 1)
			break;
		walked = sprof_walk(ticking->run, observation);
		if (walked.stack.end != SPROF_END_STACK_COPY)
			break;
	}
	return outcome;
}

static enum peek_outcome peek(struct ticking *ticking, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *observation)
{
	if (ticking->run->options->once)
		return peek_once(ticking, thread, sight, observation);
	return sprof_peek(&ticking->peeking, ticking->run, thread, sight, observation);
}

static void unsettle(struct ticking *ticking)
{
	ticking->unsettled_ns = ticking->ns;
}

/* If its stop is under way, the sample is taken when it comes. */
static void miss(struct sprof_thread *thread)
{
	struct sampled *sampled = thread->sampling;

	sampled->is_late = thread->phase == SPROF_THREAD_INTERRUPTED;
}

/*
 * Returns whether the tick is done with the thread. A thread in a stop of ours counts as running
 * on.
 */
static bool is_settled_by_peek(
	struct ticking *ticking, enum peek_outcome outcome, const struct observation *observation)
{
	switch (outcome) {
	case PEEK_TAKEN:
		sprof_book_observation(ticking->book, observation);
		return true;
	case PEEK_IN_STOP:
		miss(observation->thread);
		return true;
	case PEEK_NOTHING:
		return true;
	case PEEK_NO_MEMORY:
		ticking->run->out_of_memory = true;
		return true;
	case PEEK_AWAKE:
		break;
	}
	return false;
}

/*
 * It is a worker of the kernel, or it has left its last CPU: a leader before its threads, or an
 * unreported end.
 */
static bool look_without_stack(
	struct ticking *ticking, struct sprof_thread *thread, const struct peek_sight *sight)
{
	struct observation observation = {.thread = thread};
	const enum peek_outcome outcome =
		sprof_peek_worker(ticking->run, thread, sight, &observation);

	if (outcome == PEEK_NOTHING)
		sprof_book_ended(ticking->book, thread);
	return is_settled_by_peek(ticking, outcome, &observation);
}

/* Returns whether the sample is taken, or there is nothing to take. */
static bool look_at_blocked(struct ticking *ticking, struct sprof_thread *thread)
{
	const struct sprof_world *world = ticking->run->world;
	struct peek_sight sight = {.tick_ns = ticking->ns};
	struct observation observation = {.thread = thread};
	enum peek_outcome outcome;

	if (!world->read_schedstat(world->data, thread, &sight.schedstat))
		return true;
	if (thread->is_worker)
		return look_without_stack(ticking, thread, &sight);
	if (!world->read_syscall(world->data, thread, &sight.call)) {
		if (!thread->process->denied)
			return true;
		outcome = sprof_peek_denied(ticking->run, thread, &sight, &observation);
		return is_settled_by_peek(ticking, outcome, &observation);
	}
	if (sight.call.kind == SPROF_PROC_SYSCALL_RUNNING)
		return false;
	if (!sight.call.sp)
		return look_without_stack(ticking, thread, &sight);
	outcome = peek(ticking, thread, &sight, &observation);
	return is_settled_by_peek(ticking, outcome, &observation);
}

/* Most threads of most programs sleep as before. *ret_look: the figures of one that has run. */
static bool is_reused(
	struct ticking *ticking, struct sprof_thread *thread, struct ledger_look *ret_look)
{
	struct reused reused;

	if (sprof_reuse(ticking->run, thread, ticking->ns, &reused)) {
		sprof_book_observation(ticking->book, &reused.observation);
		return true;
	}
	*ret_look = reused.look;
	return false;
}

static bool is_settled(
	struct ticking *ticking, struct sprof_thread *thread, struct ledger_look *ret_look)
{
	const struct sampled *sampled = sprof_book_open(ticking->book, thread);

	if (!sampled)
		return true;
	return sampled->sleep.active ? is_reused(ticking, thread, ret_look)
				     : !has_run(ticking->run, thread);
}

static void ask(struct ticking *ticking, struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;
	const struct ask ask = {
		.thread = thread,
		.cpu = sampled->cpu,
		.wants_figures = sprof_book_wants(ticking->book, thread, ticking->ns),
	};

	if (ticking->kernel ? !sprof_kernel_ask(ticking->kernel, &ask)
			    : !sprof_stops_ask(ticking->stops, &ask))
		ticking->run->out_of_memory = true;
}

/* A worker of the kernel is born unreported, by a thread that runs. */
static void find_workers(const struct ticking *ticking, const struct sprof_process *process)
{
	const struct sprof_world *world = ticking->run->world;
	struct sampled_process *sampled = process->sampling;

	if (sampled->workers_ns != ticking->ns)
		world->find_workers(world->data, process);
	sampled->workers_ns = ticking->ns;
}

/* `look`: the figures of a thread that was seen asleep, and has run since. */
static void look(
	struct ticking *ticking, struct sprof_thread *thread, const struct ledger_look *look)
{
	const bool runs = sprof_running_is(ticking->run, thread, ticking->ns);

	find_workers(ticking, thread->process);
	if ((!runs || thread->is_worker) && look_at_blocked(ticking, thread))
		return;
	sprof_interval_woke(&ticking->book->samples, thread, look);
	if (ticking->run->options->mode == SPROF_MODE_WAIT && !ticking->closing)
		return;
	if (thread->phase == SPROF_THREAD_RUNNING || thread->phase == SPROF_THREAD_INTERRUPTED)
		ask(ticking, thread);
}

/*
 * A thread born during the tick has its first turn in the next one; if there is none, in another
 * round.
 */
static bool has_had_its_turn(const struct ticking *ticking, const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	if (!sampled)
		return ticking->round > 1 && !ticking->run->options->once;
	return sampled->turn_ns == ticking->ns;
}

static void collect(struct ticking *ticking)
{
	sprof_stops_collect(ticking->stops);
	if (ticking->kernel)
		sprof_kernel_leave_their_cpus(ticking->kernel);
}

static void take_turn(struct ticking *ticking, struct sprof_thread *thread)
{
	struct ledger_look seen = {0};
	struct sampled *sampled;

	if (!sprof_sampled_process_of(thread->process)) {
		ticking->run->out_of_memory = true;
		return;
	}
	/*
	 * Records are read before the look, and before the mappings of another program may be read.
	 */
	if (ticking->kernel && thread->sampling)
		sprof_kernel_gather(ticking->kernel, thread);
	sprof_mappings_begin(ticking->run->world, thread->process);
	if (!sprof_thread_has_figures(thread) && !is_settled(ticking, thread, &seen))
		look(ticking, thread, &seen);
	sampled = thread->sampling;
	if (sampled) {
		sampled->turn_ns = ticking->ns;
		if (ticking->kernel)
			sprof_kernel_share(ticking->kernel, thread);
	}
	if (!ticking->kernel || !sprof_kernel_covers(thread))
		unsettle(ticking);
}

/*
 * With many threads, running ones are stopped while others are still to be looked at: their work
 * may be a short burst. If a thread ends meanwhile, the last entry of the table takes its place. So
 * the table is walked from its end: all entries without a turn are before the current place.
 */
static void take_turns(struct ticking *ticking)
{
	const struct sprof_world *world = ticking->run->world;
	const struct reuse_tick tick = {
		.ns = ticking->ns, .number = ticking->number, .is_first = ticking->round == 1};
	size_t i = SIZE_MAX, count;

	for (;;) {
		struct sprof_thread **threads = world->threads(world->data, &count);

		i = i < count ? i : count;
		if (!i || ticking->run->out_of_memory)
			return;
		i--;
		if (sprof_reuse_is_spared(threads[i], &tick)) {
			unsettle(ticking);
			continue;
		}
		if (has_had_its_turn(ticking, threads[i]))
			continue;
		take_turn(ticking, threads[i]);
		if (sprof_stops_are_due(ticking->stops))
			collect(ticking);
	}
}

/*
 * While a process was quiet, its sleepers have slept. Without this, a sleep that has ended since the
 * tick before would share that time with the next one.
 */
static void settle_sleepers(struct ticking *ticking)
{
	const struct sprof_world *world = ticking->run->world;
	struct sprof_thread **threads;
	size_t count;

	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		struct sampled *sampled = threads[i]->sampling;

		if (!sampled || !sampled->sleep.active ||
			!sprof_quiet_has_woken(&sampled->process->quiet))
			continue;
		sampled->turn_ns = ticking->last_ns;
		sprof_interval_sleep(&ticking->book->samples, threads[i], ticking->last_ns, false);
	}
}

/* Returns false if out of memory. */
static bool know_processes(const struct sprof_world *world)
{
	struct sprof_process **processes;
	size_t count;

	processes = world->processes(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		if (!sprof_sampled_process_of(processes[i]))
			return false;
	}
	return true;
}

static void begin_sources(struct ticking *ticking, const struct source_tick *tick)
{
	if (ticking->kernel)
		sprof_kernel_begin(ticking->kernel, tick);
	sprof_stops_begin(ticking->stops, tick);
}

static void begin(struct ticking *ticking, bool closing)
{
	ticking->last_ns = ticking->ns;
	ticking->ns = now_of(ticking->run);
	ticking->closing = closing;
	ticking->period_ns = ticking->schedule->period;
	sprof_book_begin_tick(ticking->book, closing);
	if (sprof_quiet_look(
		    ticking->run, &(struct quiet_tick){ticking->ns, ticking->last_ns, closing}))
		settle_sleepers(ticking);
	begin_sources(ticking,
		&(struct source_tick){
			.ns = ticking->ns,
			.period_ns = ticking->period_ns,
			.thorough = closing || ticking->run->options->once,
		});
}

void sprof_tick(struct ticking *ticking, bool closing)
{
	if (!know_processes(ticking->run->world)) {
		ticking->run->out_of_memory = true;
		return;
	}
	begin(ticking, closing);
	ticking->round = 0;
	do {
		ticking->round++;
		ticking->has_missed = false;
		take_turns(ticking);
		collect(ticking);
	} while (ticking->has_missed && !ticking->run->out_of_memory);
	sprof_book_end_tick(ticking->book);
	ticking->closing = false;
	ticking->number++;
}

void sprof_ticking_restart(struct ticking *ticking, uint64_t first_ns)
{
	ticking->unsettled_ns = first_ns;
}

/* The tick after the spared ones may be late by half of a period, and sprof by that and more. */
static uint64_t room_of(const struct kernel *kernel, uint64_t period_ns)
{
	const uint64_t room = kernel->room_ns / period_ns;

	return room > LATE_PERIODS ? room - LATE_PERIODS : 0;
}

/* Never only because time has passed: a sleeper without a timer may run at any moment. */
uint64_t sprof_tick_most_spared(const struct ticking *ticking)
{
	const uint64_t period_ns = ticking->schedule->period;
	const uint64_t usual = sprof_schedule_most_spared(period_ns);
	uint64_t room;

	if (!ticking->kernel || ticking->ns <= ticking->unsettled_ns + SETTLED_NS)
		return 0;
	room = room_of(ticking->kernel, period_ns);
	return room < usual ? room : usual;
}

static bool has_another_round(const struct ticking *ticking)
{
	if (ticking->run->options->once)
		return ticking->round < ROUNDS_ONCE;
	return ticking->round < ROUNDS &&
		!sprof_schedule_is_long(ticking->ns, ticking->period_ns, now_of(ticking->run));
}

/*
 * A thread that is missed at each change would seem to change more rarely than it does. A stop
 * under way gives a sample later, and a thread with a timer has records.
 */
static bool looks_again(const struct ticking *ticking, const struct sprof_thread *thread)
{
	struct sampled *sampled = thread->sampling;

	if (sampled->timed.is_open || thread->phase != SPROF_THREAD_RUNNING ||
		!has_another_round(ticking))
		return false;
	sampled->turn_ns = 0;
	return true;
}

void sprof_tick_missed(struct ticking *ticking, struct sprof_thread *thread)
{
	const struct sprof_world *world = ticking->run->world;
	struct peek_sight sight = {.tick_ns = ticking->ns};
	struct observation observation = {.thread = thread};
	enum peek_outcome outcome = PEEK_AWAKE;

	if (world->read_schedstat(world->data, thread, &sight.schedstat) &&
		world->read_syscall(world->data, thread, &sight.call) &&
		sight.call.kind != SPROF_PROC_SYSCALL_RUNNING && sight.call.sp)
		outcome = sprof_peek(&ticking->peeking, ticking->run, thread, &sight, &observation);
	if (is_settled_by_peek(ticking, outcome, &observation))
		return;
	if (looks_again(ticking, thread))
		ticking->has_missed = true;
	else
		miss(thread);
}
