/*
 * Booking: turns an observation into a sample, its wait, its charge and the quality figures. Does
 * not take samples or choose their order.
 */
#include "sampler/account/book.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sampler/account/names.h"
#include "sampler/stack/interpreted.h"
#include "sampler/stack/mappings.h"
#include "sampler/tick/reuse.h"

enum { FEW_THREADS = 100 }; /* with at most this many threads, each charge reads their counters */

void sprof_book_init(struct book *book, struct run *run, const struct sprof_sink *sink)
{
	*book = (struct book){
		.run = run,
		.sink = sink,
		.charging = {.run = run, .sink = sink, .few = true},
	};
	sprof_samples_init(&book->samples, run, sink);
	sprof_waits_init(&book->waits, run, sink);
}

void sprof_book_finish(struct book *book)
{
	sprof_waits_finish(&book->waits);
	sprof_samples_finish(&book->samples);
}

void sprof_book_begin_tick(struct book *book, size_t threads, bool closing)
{
	book->charging.few = threads <= FEW_THREADS;
	book->charging.closing = closing;
}

void sprof_book_flush(struct book *book)
{
	sprof_samples_flush(&book->samples, NULL);
}

void sprof_book_end_tick(struct book *book)
{
	sprof_book_flush(book);
	book->charging.closing = false;
}

/* Whether the thread was born during the run, and not while sampling was off. */
static bool is_all_ours(const struct book *book, const struct sprof_thread *thread)
{
	return thread->born && thread->seen_ns >= book->begin_ns;
}

/*
 * Notes what the kernel had counted before; nothing, if all of the thread's counts belong to this
 * run.
 */
static void note_first(const struct book *book, struct sprof_thread *thread, bool is_all_ours)
{
	struct sprof_thread_facts facts = {0};
	struct reading reading;
	pid_t own_tid = thread->tid;

	if (sprof_reading_take(book->run->world, thread, true, &reading)) {
		if (reading.facts.own_tid)
			own_tid = reading.facts.own_tid;
		if (!is_all_ours)
			facts = reading.facts;
	}
	sprof_sampled_met_first(thread->sampling, &facts, own_tid);
}

static struct sampled *begin(struct book *book, struct sprof_thread *thread)
{
	bool all_ours = is_all_ours(book, thread);
	struct sprof_figures start;

	if (!sprof_charge_begin(&book->charging, thread, all_ours, &start))
		return NULL;
	if (sprof_sampled_process_of(thread->process))
		thread->sampling = sprof_sampled_create(&start);
	if (!thread->sampling) {
		book->run->out_of_memory = true;
		return NULL;
	}
	note_first(book, thread, all_ours);
	sprof_names_tell(book->run, book->sink, thread, true);
	return thread->sampling;
}

struct sampled *sprof_book_open(struct book *book, struct sprof_thread *thread)
{
	return thread->sampling ? thread->sampling : begin(book, thread);
}

void sprof_book_ended(struct book *book, struct sprof_thread *thread)
{
	sprof_charge_ended(&book->charging, thread);
}

void sprof_book_credit(struct book *book, struct sprof_thread *thread, uint64_t time_ns)
{
	struct observation observation;

	if (sprof_reuse_credit(thread, time_ns, &observation))
		sprof_book_observation(book, &observation);
}

/* Whether the profile takes samples of its sleep, and run-queue time. */
static bool takes_queue(const struct book *book, const struct sampled *sampled)
{
	const struct sprof_sampler_options *options = book->run->options;

	return book->sink->queued && !options->no_samples &&
		sprof_mode_takes(options->mode, sampled->asleep.seen.state) &&
		sprof_mode_counts(options->mode, SPROF_TIME_RUNQ);
}

void sprof_book_queued(
	struct book *book, struct sprof_thread *thread, const struct sprof_proc_schedstat *now)
{
	const struct queue_look look = {
		.now_ns = now_of(book->run),
		.period_ns = (uint64_t)(SPROF_NS_PER_S / book->run->options->rate_hz),
		.schedstat = now,
	};
	struct sampled *sampled = thread->sampling;
	uint32_t ticks;
	uint64_t ns;

	if (!takes_queue(book, sampled))
		return;
	ns = sprof_sampled_queued(sampled, &look, &ticks);
	if (ns)
		sprof_samples_queued(&book->samples, thread, ns, ticks);
}

void sprof_book_woke(struct book *book, struct sprof_thread *thread, uint64_t time_ns)
{
	sprof_book_credit(book, thread, time_ns);
	sprof_sampled_woke(thread->sampling);
}

/* The samples that are still due, up to this time. */
static void hand_over_samples(struct book *book, struct sprof_thread *thread, uint64_t time_ns)
{
	sprof_book_credit(book, thread, time_ns);
	sprof_samples_flush(&book->samples, thread);
}

void sprof_book_settle(
	struct book *book, struct sprof_thread *thread, uint64_t time_ns, bool with_figures)
{
	const bool was_open = thread->sampling;

	/* A thread that lived between two ticks has figures too. */
	if (!sprof_book_open(book, thread))
		return;
	/* The last name counts, even if no tick has looked at the thread since it changed. */
	if (was_open && with_figures)
		sprof_names_tell(book->run, book->sink, thread, false);
	hand_over_samples(book, thread, time_ns);
	sprof_charge_last(&book->charging, thread, with_figures);
}

void sprof_book_executed(struct book *book, struct sprof_thread *thread, uint64_t time_ns)
{
	struct sampled_process *process = thread->process->sampling;

	if (process)
		sprof_mappings_forget(&process->mappings);
	if (!thread->sampling)
		return;
	hand_over_samples(book, thread, time_ns);
	sprof_sampled_executed(thread->sampling);
	sprof_names_tell(book->run, book->sink, thread, true);
}

void sprof_book_close(struct book *book, struct sprof_thread *thread)
{
	struct sampled_process *process = thread->process->sampling;

	sprof_samples_forget(&book->samples, thread);
	sprof_sampled_destroy(thread->sampling);
	thread->sampling = NULL;
	/* Since its last sample it may have loaded a library. */
	if (process)
		sprof_mappings_doubt(&process->mappings);
}

static void restart(struct book *book, struct sprof_thread *thread)
{
	if (!thread->sampling)
		return;
	sprof_sampled_restarted(thread->sampling);
	note_first(book, thread, book->is_paused);
	sprof_names_tell(book->run, book->sink, thread, true);
}

static void pause_thread(struct book *book, struct sprof_thread *thread, uint64_t time_ns)
{
	if (!thread->sampling)
		return;
	hand_over_samples(book, thread, time_ns);
	sprof_charge_pause(&book->charging, thread, time_ns);
	sprof_sampled_restarted(thread->sampling);
}

void sprof_book_pause(struct book *book, uint64_t time_ns)
{
	const struct sprof_world *world = book->run->world;
	struct sprof_thread **threads;
	size_t count;

	book->is_paused = true;
	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++)
		pause_thread(book, threads[i], time_ns);
	if (book->sink->pause)
		book->sink->pause(book->sink->data);
}

void sprof_book_resume(struct book *book)
{
	const struct sprof_world *world = book->run->world;
	struct sprof_thread **threads;
	size_t count;

	book->is_paused = false;
	book->begin_ns = now_of(book->run);
	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->sampling)
			sprof_charge_resume(&book->charging, threads[i]);
		else
			sprof_book_open(book, threads[i]);
	}
}

void sprof_book_restart(struct book *book)
{
	const struct sprof_world *world = book->run->world;
	struct sprof_thread **threads;
	size_t count;

	sprof_samples_forget_all(&book->samples);
	sprof_waits_restart(&book->waits);
	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++)
		restart(book, threads[i]);
}

enum ask_figures sprof_book_wants(
	const struct book *book, const struct sprof_thread *thread, uint64_t time_ns)
{
	if (!thread->sampling || !sprof_charge_is_due(&book->charging, thread->sampling, time_ns))
		return ASK_NO_FIGURES;
	return book->charging.few || book->charging.closing ? ASK_ALL_FIGURES : ASK_TIMES;
}

/* Whether it becomes a sample: it counts for at least one tick, and the mode takes its state. */
static bool is_wanted(const struct book *book, const struct observation *observation)
{
	const struct sprof_sampler_options *options = book->run->options;

	return observation->times && !options->no_samples &&
		sprof_mode_takes(options->mode, observation->state);
}

static void count_stacks(
	struct sprof_quality *quality, const struct last_seen *seen, uint32_t times)
{
	quality->stacks[seen->end] += times;
	quality->merges[seen->merge] += times;
	if (seen->way == SPROF_WAY_CODE)
		quality->stacks_by_code += times;
	else if (seen->way == SPROF_WAY_FRAME_POINTER)
		quality->stacks_by_frame_pointer += times;
}

static void count_samples(struct sprof_quality *quality, const struct observation *observation)
{
	switch (observation->by) {
	case OBSERVED_BY_KERNEL:
		quality->samples_by_kernel += observation->times;
		break;
	case OBSERVED_BY_REUSE:
		quality->samples_reused += observation->times;
		break;
	case OBSERVED_BY_PEEK:
		quality->samples_peeked += observation->times;
		break;
	case OBSERVED_BY_STOP:
		quality->samples_stopped += observation->times;
		break;
	}
}

static void emit(struct book *book, const struct observation *observation)
{
	struct sprof_thread *thread = observation->thread;
	const struct sampled *sampled = thread->sampling;

	if (!is_wanted(book, observation))
		return;
	sprof_samples_emit(&book->samples, observation);
	count_samples(book->run->quality, observation);
	count_stacks(book->run->quality, &sampled->last, observation->times);
}

/* A lock may have changed hands while the thread slept. */
static void look_at_lock(struct book *book, const struct observation *observation)
{
	struct sampled *sampled = observation->thread->sampling;
	struct lock_watch watch = sampled->wait.lock;

	if (!sampled->wait.id || !watch.active || observation->is_past)
		return;
	sprof_locks_look(&book->waits.locks, observation->thread, &watch, observation->time_ns);
	sprof_sampled_lock_held(sampled, &watch);
}

/* Finds what the thread does in the kernel. A thread in a group-stop waits for SIGCONT only. */
static void find_wait(struct book *book, const struct observation *observation)
{
	struct sprof_thread *thread = observation->thread;
	uint32_t id = SPROF_WAIT_NONE;

	if (observation->snapshot &&
		(observation->state == SPROF_STATE_SLEEP ||
			observation->state == SPROF_STATE_DISK)) {
		sprof_waits_look_up(&book->waits, thread, &observation->call, observation->time_ns);
		return;
	}
	if (observation->state == SPROF_STATE_SYS)
		id = sprof_waits_running(&book->waits, thread, observation);
	sprof_sampled_runs(thread->sampling, id);
}

/* The sink gets only stacks that have samples. */
static uint32_t intern(const struct book *book, const struct observation *observation,
	const struct sprof_stack_view *stack)
{
	uint32_t id = 0;

	if (is_wanted(book, observation) && !book->sink->stack(book->sink->data, stack, &id))
		book->run->out_of_memory = true;
	return id;
}

/* If a larger copy may show more of the stack, the next tick copies it again. */
static void note_sleep(const struct observation *observation, enum sprof_end end)
{
	bool is_same = observation->sleeps_on && end != SPROF_END_STACK_COPY;

	if (observation->by == OBSERVED_BY_PEEK)
		sprof_sampled_slept(observation->thread->sampling, &observation->slept,
			observation->timeslices, is_same);
}

/* A sleeper has left its CPU. */
static bool wants_cpu(const struct book *book, const struct observation *observation)
{
	return book->run->options->cpus && !sprof_state_is_blocked(observation->state);
}

static void note(
	struct book *book, const struct observation *observation, const struct walked *walked)
{
	struct sampled *sampled = observation->thread->sampling;
	const struct last_seen seen = {
		.stack = intern(book, observation, &walked->stack),
		.state = observation->state,
		.end = walked->stack.end,
		.way = walked->stack.way,
		.merge = walked->stack.merge,
		.goroutine = walked->goroutine,
		.cpu = wants_cpu(book, observation) ? observation->cpu : 0,
	};

	book->run->quality->frames += walked->stack.count;
	sprof_sampled_seen(sampled, &seen);
	find_wait(book, observation);
	note_sleep(observation, seen.end);
}

static void charge(struct book *book, const struct observation *observation)
{
	struct sprof_thread *thread = observation->thread;
	bool is_exact = observation->by == OBSERVED_BY_REUSE ||
		observation->by == OBSERVED_BY_PEEK || observation->reading;

	if (observation->is_past || !is_exact ||
		!sprof_charge_is_due(&book->charging, thread->sampling, observation->time_ns))
		return;
	/* Reading the name costs more than charging a sleeper. */
	if (sprof_charge_window(&book->charging, thread, observation->reading))
		sprof_names_tell(book->run, book->sink, thread, false);
}

/* The kernel's copy of the stack is too short, or leads to another stack: it is no sample. */
static bool is_cut(const struct observation *observation, const struct walked *walked)
{
	return observation->by == OBSERVED_BY_KERNEL &&
		(walked->stack.end == SPROF_END_STACK_COPY ||
			walked->stack.end == SPROF_END_BAD_MEMORY);
}

/*
 * These samples were counted as lost and have come after all. Losses from before the last reset of
 * the figures are not in the count any more.
 */
static void find_lost(struct sprof_quality *quality, uint32_t samples)
{
	quality->samples_lost -= samples < quality->samples_lost ? samples : quality->samples_lost;
}

/*
 * How many of the ticks that a late stop owes were not lost. If it counts for no tick, records
 * cover them all.
 */
static uint32_t found_by(const struct observation *late)
{
	return late->times && late->times < late->owed ? late->times : late->owed;
}

static void book_it(
	struct book *book, const struct observation *observation, const struct walked *walked)
{
	if (walked)
		note(book, observation, walked);
	look_at_lock(book, observation);
	emit(book, observation);
	if (observation->owed) {
		find_lost(book->run->quality, found_by(observation));
		sprof_samples_flush(&book->samples, observation->thread);
	}
	charge(book, observation);
}

/*
 * A timer's record of a thread that was found asleep. The sleep goes on until a look shows that it
 * woke.
 */
static void book_beside_sleep(
	struct book *book, const struct observation *observation, const struct walked *walked)
{
	struct sampled *sampled = observation->thread->sampling;
	const struct last_seen asleep = sampled->last;
	const struct known_wait wait = sampled->wait;

	book_it(book, observation, walked);
	sprof_sampled_ran_meanwhile(sampled, &asleep, &wait);
}

static bool is_beside_sleep(const struct observation *observation)
{
	const struct sampled *sampled = observation->thread->sampling;

	return observation->by == OBSERVED_BY_KERNEL && sampled->sleep.active;
}

bool sprof_book_observation(struct book *book, const struct observation *observation)
{
	struct walked walked = {.stack = {.end = observation->end}};

	if (observation->by == OBSERVED_BY_REUSE) {
		book_it(book, observation, NULL);
		return true;
	}
	if (observation->snapshot)
		walked = sprof_walk(book->run, observation);
	if (is_cut(observation, &walked))
		return false;
	if (sprof_interpreted_was_named(observation->thread))
		sprof_names_tell(book->run, book->sink, observation->thread, false);
	if (is_beside_sleep(observation))
		book_beside_sleep(book, observation, &walked);
	else
		book_it(book, observation, &walked);
	return true;
}

void sprof_book_stays(struct book *book, struct sprof_thread *thread, uint64_t tick_ns)
{
	sprof_samples_stays(&book->samples, thread, tick_ns);
}

void sprof_book_lost(struct book *book, struct sprof_thread *thread, uint32_t ticks)
{
	const bool is_coming = thread->phase == SPROF_THREAD_INTERRUPTED;

	sprof_sampled_missed(thread->sampling, is_coming ? ticks : 0);
	book->run->quality->samples_lost += ticks;
}
