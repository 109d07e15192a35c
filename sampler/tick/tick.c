/*
 * Deciding: for every thread the cheapest way to an exact sample. Reuse: it has not run since it
 * was seen asleep. Peek: it sleeps. Timers or a stop: it runs. Does not take or book samples.
 */
#include "sampler/tick/tick.h"

#include <sys/syscall.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "sampler/stack/mappings.h"

enum {
	/* from the smallest copy to the largest, plus one for the other stack of a goroutine */
	TRIES_ONCE = 7,
	/* of looks at threads that fall asleep or wake between look and stop */
	ROUNDS = 4,
	ROUNDS_ONCE = 32,
	/* For how long timers must have covered all threads before ticks are left out. */
	SETTLED_NS = 100 * SPROF_NS_PER_MS,
	/* how late the tick after the spared ones may be: jitter, and a busy machine */
	LATE_PERIODS = 2,
};

/* A thread that has not had a CPU yet has no stack of its own. */
static bool has_run(const struct run *run, struct sprof_thread *thread)
{
	struct sprof_proc_schedstat schedstat;

	return run->quality->schedstat_missing ||
		thread->sampling->ledger.last.figures.timeslices ||
		(run->world->read_schedstat(thread, &schedstat) && schedstat.timeslices);
}

/* If there is only one tick, a copy that was too small is repeated while a larger one may help. */
static enum peek_outcome peek(struct ticking *ticking, struct sprof_thread *thread,
	const struct peek_sight *sight, struct observation *observation)
{
	int tries = ticking->run->options->once ? TRIES_ONCE : 1;
	enum peek_outcome outcome;

	for (;;) {
		outcome = sprof_peek(&ticking->peeking, ticking->run, thread, sight, observation);
		if (!--tries || outcome != PEEK_TAKEN || !observation->snapshot ||
			sprof_walk(ticking->run, observation).stack.end != SPROF_END_STACK_COPY)
			return outcome;
	}
}

/* If its stop is under way, the sample is taken when it comes. */
static void miss(struct sprof_thread *thread)
{
	thread->sampling->is_late = thread->phase == SPROF_THREAD_INTERRUPTED;
}

/* Returns whether the tick is done with the thread. In a stop of ours, it counts as running. */
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

/* Returns whether the sample is taken, or there is nothing to take. */
static bool look_at_blocked(struct ticking *ticking, struct sprof_thread *thread)
{
	const struct sprof_world *world = ticking->run->world;
	struct peek_sight sight = {.tick_ns = ticking->run->tick.ns};
	struct observation observation = {.thread = thread};
	enum peek_outcome outcome;

	if (!world->read_schedstat(thread, &sight.schedstat))
		return true;
	if (!thread->is_worker && !world->read_syscall(thread, &sight.call)) {
		if (!thread->process->denied)
			return true;
		outcome = sprof_peek_denied(ticking->run, thread, &sight, &observation);
	} else if (!thread->is_worker && sight.call.kind == SPROF_PROC_SYSCALL_RUNNING) {
		return false;
	} else if (sight.call.sp) {
		outcome = peek(ticking, thread, &sight, &observation);
	} else {
		/*
		 * It is a worker of the kernel, or it has left its last CPU: a leader before its
		 * threads, or an unreported end.
		 */
		outcome = sprof_peek_worker(ticking->run, thread, &sight, &observation);
		if (outcome == PEEK_NOTHING)
			sprof_book_ended(ticking->book, thread);
	}
	return is_settled_by_peek(ticking, outcome, &observation);
}

/* The kernel reports no birth of its workers: for a thread that runs, or waits for their work. */
static void find_workers(const struct run *run, struct sprof_process *process)
{
	if (process->sampling->workers_ns != run->tick.ns)
		run->world->find_workers(run->world->target, process);
	process->sampling->workers_ns = run->tick.ns;
}

/* Most threads of most programs sleep as before. */
static void look(struct ticking *ticking, struct sprof_thread *thread)
{
	const struct run *run = ticking->run;
	const struct sampled *sampled = sprof_book_open(ticking->book, thread);
	struct observation reused = {.look = {0}};
	struct ask ask = {.thread = thread};
	bool runs;

	if (!sampled)
		return;
	if (sampled->last_call.number == SYS_io_uring_enter)
		find_workers(run, thread->process);
	if (!sampled->sleep.active) {
		if (!has_run(run, thread))
			return;
	} else if (sprof_reuse(run, thread, &reused)) {
		sprof_book_observation(ticking->book, &reused);
		return;
	}
	runs = sprof_running_is(run, thread);
	find_workers(run, thread->process);
	if ((!runs || thread->is_worker) && look_at_blocked(ticking, thread))
		return;
	sprof_interval_woke(ticking->book, thread, &reused.look);
	if (run->options->mode == SPROF_MODE_WAIT && !run->tick.closing)
		return;
	if (thread->phase != SPROF_THREAD_RUNNING && thread->phase != SPROF_THREAD_INTERRUPTED)
		return;
	ask.cpu = sampled->cpu;
	ask.wants_figures = sprof_charge_is_due(ticking->book, sampled, run->tick.ns);
	if (ticking->kernel ? !sprof_kernel_ask(ticking->kernel, &ask)
			    : !sprof_stops_ask(ticking->stops, &ask))
		ticking->run->out_of_memory = true;
}

static void take_turn(struct ticking *ticking, struct sprof_thread *thread)
{
	struct run *run = ticking->run;

	if (!sprof_sampled_process_of(thread->process)) {
		run->out_of_memory = true;
		return;
	}
	/* Before the look, and before the mappings of another program may be read. */
	if (ticking->kernel && thread->sampling)
		sprof_kernel_gather(ticking->kernel, thread);
	sprof_mappings_begin(run->world, thread->process);
	if (!sprof_thread_has_figures(thread))
		look(ticking, thread);
	if (thread->sampling) {
		thread->sampling->turn_ns = run->tick.ns;
		/* New records share the CPU time, unless the look has done that. */
		if (sprof_samples_have_records(ticking->book, thread))
			sprof_interval_read(ticking->book, thread, run->tick.ns);
	}
	if (!ticking->kernel || !sprof_kernel_covers(thread))
		ticking->unsettled_ns = run->tick.ns;
}

/*
 * There is no observation of a thread that was asked for: it sleeps by now, or got no CPU. One that
 * is missed at each change would seem to change more rarely than it does, so it is looked at again.
 * A stop under way gives a sample later, and a thread with a timer has records.
 */
static void look_at_missed(struct ticking *ticking, struct sprof_thread *thread)
{
	const struct run *run = ticking->run;
	struct peek_sight sight = {.tick_ns = run->tick.ns};
	struct observation observation = {.thread = thread};
	enum peek_outcome outcome = PEEK_AWAKE;
	bool has_round = ticking->round < ROUNDS_ONCE;

	if (run->world->read_schedstat(thread, &sight.schedstat) &&
		run->world->read_syscall(thread, &sight.call) &&
		sight.call.kind != SPROF_PROC_SYSCALL_RUNNING && sight.call.sp)
		outcome = sprof_peek(&ticking->peeking, run, thread, &sight, &observation);
	if (is_settled_by_peek(ticking, outcome, &observation))
		return;
	if (!run->options->once)
		has_round = ticking->round < ROUNDS &&
			!sprof_schedule_is_long(run->tick.ns, run->tick.period_ns, now_of(run));
	if (has_round && !thread->sampling->timed.is_open &&
		thread->phase == SPROF_THREAD_RUNNING) {
		thread->sampling->turn_ns = 0;
		ticking->has_missed = true;
	} else {
		miss(thread);
	}
}

static void collect(struct ticking *ticking)
{
	struct slots *slots = &ticking->stops->slots;
	struct sprof_hop *hop = &ticking->stops->hop;

	sprof_stops_collect(ticking->stops);
	for (size_t i = 0; i < slots->count; i++) {
		const struct slot *slot = &slots->items[i];

		if (slot->phase != SLOT_COPIED && slot->phase != SLOT_GONE)
			look_at_missed(ticking, slot->ask.thread);
	}
	slots->count = 0;
	/*
	 * Records can be read from any CPU. If none is idle, reading takes the time of what runs
	 * there: better another program than a thread of the target.
	 */
	if (ticking->kernel && !ticking->stops->asked && !sprof_hop_widen_if_queued(hop))
		sprof_hop_off(hop, &ticking->kernel->cpus);
}

/*
 * With many threads, running ones are stopped while others are still to be looked at: their work
 * may be a short burst. If a thread ends meanwhile, the last entry of the table takes its place. So
 * the table is walked from its end: all entries without a turn are before the current place.
 */
static void take_turns(struct ticking *ticking)
{
	struct run *run = ticking->run;

	for (size_t i = SIZE_MAX;;) {
		const struct threads threads = threads_of(run);
		const struct sampled *sampled;

		i = sprof_least(i, threads.count);
		if (!i || run->out_of_memory)
			return;
		i--;
		if (sprof_reuse_is_spared(run, threads.items[i], ticking->round == 1)) {
			ticking->unsettled_ns = run->tick.ns;
			continue;
		}
		/* One born in the tick waits for the next; if there is none, for another round. */
		sampled = threads.items[i]->sampling;
		if (sampled ? sampled->turn_ns == run->tick.ns
			    : ticking->round > 1 && !run->options->once)
			continue;
		take_turn(ticking, threads.items[i]);
		if (sprof_stops_are_due(ticking->stops))
			collect(ticking);
	}
}

/*
 * While a process was quiet, its sleepers have slept. Without this, a sleep that has ended since
 * the tick before would share that time with the next one.
 */
static void settle_sleepers(struct ticking *ticking)
{
	const uint64_t last_ns = ticking->run->tick.last_ns;
	const struct threads threads = threads_of(ticking->run);

	for (size_t i = 0; i < threads.count; i++) {
		struct sampled *sampled = threads.items[i]->sampling;

		if (!sampled || !sampled->sleep.active ||
			!threads.items[i]->process->sampling->quiet.has_woken)
			continue;
		sampled->turn_ns = last_ns;
		sprof_interval_sleep(ticking->book, threads.items[i], last_ns, false);
	}
}

void sprof_tick(struct ticking *ticking, bool closing)
{
	struct run *run = ticking->run;
	const struct processes processes = processes_of(run);

	for (size_t i = 0; i < processes.count; i++) {
		if (!sprof_sampled_process_of(processes.items[i])) {
			run->out_of_memory = true;
			return;
		}
	}
	run->tick = (struct tick){
		.ns = now_of(run),
		.last_ns = run->tick.ns,
		.period_ns = ticking->schedule->period,
		.number = run->tick.number + 1,
		.closing = closing,
	};
	if (sprof_quiet_look(run))
		settle_sleepers(ticking);
	if (ticking->kernel) {
		ticking->kernel->cpus = (struct sprof_cpu_set){0};
		ticking->kernel->room_ns = UINT64_MAX;
	}
	ticking->stops->patience = (struct patience){0};
	ticking->stops->asked = 0;
	ticking->round = 0;
	do {
		ticking->round++;
		ticking->has_missed = false;
		take_turns(ticking);
		collect(ticking);
	} while (ticking->has_missed && !run->out_of_memory);
	sprof_samples_flush(ticking->book, NULL);
	run->tick.closing = false;
}

/* Never only because time has passed: a sleeper without a timer may run at any moment. */
uint64_t sprof_tick_most_spared(const struct ticking *ticking)
{
	const uint64_t period_ns = ticking->schedule->period;

	if (!ticking->kernel || ticking->run->tick.ns <= ticking->unsettled_ns + SETTLED_NS)
		return 0;
	return sprof_least(sprof_schedule_most_spared(period_ns),
		sprof_minus(ticking->kernel->room_ns / period_ns, LATE_PERIODS));
}
