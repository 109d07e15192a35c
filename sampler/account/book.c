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

void sprof_book_init(struct book *book, struct run *run, const struct sprof_sink *sink)
{
	*book = (struct book){
		.run = run,
		.sink = sink,
		.charging = {.run = run, .sink = sink},
	};
	sprof_samples_init(&book->samples, run, sink);
	sprof_waits_init(&book->waits, run, sink);
}

void sprof_book_finish(struct book *book)
{
	sprof_waits_finish(&book->waits);
	sprof_samples_finish(&book->samples);
}

void sprof_book_begin_tick(struct book *book, bool closing)
{
	book->charging.closing = closing;
}

void sprof_book_end_tick(struct book *book)
{
	sprof_samples_flush(&book->samples, NULL);
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
static void note_first(
	struct sprof_thread *thread, const struct sprof_thread_facts *facts, bool is_all_ours)
{
	struct sampled *sampled = thread->sampling;

	sampled->own_tid = facts->own_tid ? facts->own_tid : thread->tid;
	memset(sampled->first, 0, sizeof(sampled->first));
	if (!is_all_ours)
		memcpy(sampled->first, facts->counters, sizeof(sampled->first));
}

static struct sampled *begin(struct book *book, struct sprof_thread *thread)
{
	const struct sprof_world *world = book->run->world;
	const bool all_ours = is_all_ours(book, thread);
	struct reading reading = {0};

	if (!sprof_reading_take(world, thread, &reading) && !all_ours)
		return NULL;
	if (all_ours)
		reading.figures = sprof_figures_at_birth(world, thread);
	reading.figures.cpus = *sprof_charge_cpus(&book->charging);
	if (sprof_sampled_process_of(thread->process))
		thread->sampling = sprof_sampled_create(thread->process->sampling, &reading.figures,
			all_ours ? 0 : reading.schedstat.timeslices);
	if (!thread->sampling) {
		book->run->out_of_memory = true;
		return NULL;
	}
	note_first(thread, &reading.facts, all_ours);
	sprof_names_report(book->run, book->sink, thread, true);
	return thread->sampling;
}

struct sampled *sprof_book_open(struct book *book, struct sprof_thread *thread)
{
	return thread->sampling ? thread->sampling : begin(book, thread);
}

/* All that a worker of the kernel does is at one place, even if it had no tick. */
static void book_worker(struct book *book, struct sprof_thread *thread)
{
	const struct sprof_world *world = book->run->world;
	struct observation observation = {
		.thread = thread,
		.by = OBSERVED_BY_PEEK,
		.time_ns = now_of(book->run),
		.state = SPROF_STATE_SYS,
		.end = SPROF_END_ROOT,
		.call = {.kind = SPROF_PROC_SYSCALL_OUTSIDE, .number = -1},
	};

	observation.look.time_ns = observation.time_ns;
	if (world->read_schedstat(world->data, thread, &observation.look.figures))
		sprof_book_observation(book, &observation);
}

void sprof_book_ended(struct book *book, struct sprof_thread *thread)
{
	if (thread->is_worker)
		book_worker(book, thread);
	sprof_charge_ended(&book->charging, thread);
}

/* Hands over the samples that are still deferred, and the time of its sleep so far. */
static void hand_over_samples(struct book *book, struct sprof_thread *thread)
{
	sprof_samples_flush(&book->samples, thread);
	sprof_interval_sleep(&book->samples, thread, now_of(book->run), true);
}

void sprof_book_settle(struct book *book, struct sprof_thread *thread, bool with_figures)
{
	const bool was_open = thread->sampling;

	/* A thread that lived between two ticks has figures too. */
	if (!sprof_book_open(book, thread))
		return;
	/* The last name counts, even if no tick has looked at the thread since it changed. */
	if (was_open && with_figures)
		sprof_names_report(book->run, book->sink, thread, false);
	hand_over_samples(book, thread);
	if (thread->is_worker && with_figures && sprof_thread_has_figures(thread))
		book_worker(book, thread);
	sprof_charge_last(&book->charging, thread, with_figures);
}

void sprof_book_executed(struct book *book, struct sprof_thread *thread)
{
	struct sampled_process *process = thread->process->sampling;

	if (process) {
		sprof_mappings_forget(&process->mappings);
		process->is_named = false;
	}
	if (!thread->sampling)
		return;
	hand_over_samples(book, thread);
	sprof_sampled_executed(thread->sampling);
	sprof_names_report(book->run, book->sink, thread, true);
}

void sprof_book_close(struct book *book, struct sprof_thread *thread)
{
	struct sampled_process *process = thread->process->sampling;

	sprof_sampled_destroy(thread->sampling);
	thread->sampling = NULL;
	/* Since its last sample it may have loaded a library. */
	if (process)
		sprof_mappings_doubt(&process->mappings);
}

static void restart(struct book *book, struct sprof_thread *thread)
{
	struct reading reading = {0};

	if (!thread->sampling)
		return;
	sprof_sampled_restarted(thread->sampling);
	(void)!sprof_reading_take(book->run->world, thread, &reading);
	note_first(thread, &reading.facts, book->is_paused);
	sprof_names_report(book->run, book->sink, thread, true);
}

static void pause_thread(struct book *book, struct sprof_thread *thread, uint64_t time_ns)
{
	if (!thread->sampling)
		return;
	hand_over_samples(book, thread);
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

	sprof_waits_restart(&book->waits);
	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->sampling)
			((struct sampled *)threads[i]->sampling)->process->is_named = false;
	}
	for (size_t i = 0; i < count; i++)
		restart(book, threads[i]);
}

bool sprof_book_wants(const struct book *book, const struct sprof_thread *thread, uint64_t time_ns)
{
	return thread->sampling && sprof_charge_is_due(&book->charging, thread->sampling, time_ns);
}

/* Whether the mode wants samples of this state. */
static bool is_wanted(const struct book *book, const struct observation *observation)
{
	const struct sprof_sampler_options *options = book->run->options;

	return !options->no_samples && sprof_mode_takes(options->mode, observation->state);
}

static void count_stacks(struct sprof_quality *quality, const struct last_seen *seen)
{
	quality->stacks[seen->end]++;
	quality->merges[seen->merge]++;
	quality->stacks_by_code += seen->way == SPROF_WAY_CODE;
	quality->stacks_by_frame_pointer += seen->way == SPROF_WAY_FRAME_POINTER;
}

static void count_samples(struct sprof_quality *quality, const struct observation *observation)
{
	switch (observation->by) {
	case OBSERVED_BY_KERNEL:
		quality->samples_by_kernel++;
		break;
	case OBSERVED_BY_REUSE:
		quality->samples_reused++;
		break;
	case OBSERVED_BY_PEEK:
		quality->samples_peeked++;
		break;
	case OBSERVED_BY_STOP:
		quality->samples_stopped++;
		break;
	}
}

/* A lock may have changed hands while the thread slept. */
static void look_at_lock(struct book *book, const struct observation *observation)
{
	struct sampled *sampled = observation->thread->sampling;
	struct lock_watch *watch = &sampled->wait.lock;

	if (sampled->wait.id && watch->futex.address)
		sprof_locks_look(
			&book->waits.locks, observation->thread, watch, observation->time_ns);
}

static uint32_t running_call(struct book *book, const struct observation *observation)
{
	return observation->state == SPROF_STATE_SYS
		? sprof_waits_running(&book->waits, observation->thread, observation)
		: SPROF_WAIT_NONE;
}

/* Finds what the thread does in the kernel. A thread in a group-stop waits for SIGCONT only. */
static void find_wait(struct book *book, const struct observation *observation)
{
	struct sprof_thread *thread = observation->thread;

	if (observation->snapshot &&
		(observation->state == SPROF_STATE_SLEEP || observation->state == SPROF_STATE_DISK))
		sprof_waits_look_up(&book->waits, thread, &observation->call, observation->time_ns);
	else
		sprof_sampled_runs(thread->sampling, running_call(book, observation));
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
		sprof_sampled_slept(observation->thread->sampling, &observation->look, is_same);
}

/* A sleeper has left its CPU. */
static bool wants_cpu(const struct book *book, const struct observation *observation)
{
	return book->run->options->cpus && !sprof_state_is_blocked(observation->state);
}

static struct last_seen see(
	struct book *book, const struct observation *observation, const struct walked *walked)
{
	book->run->quality->frames += walked->stack.count;
	return (struct last_seen){
		.stack = intern(book, observation, &walked->stack),
		.state = observation->state,
		.end = walked->stack.end,
		.way = walked->stack.way,
		.merge = walked->stack.merge,
		.goroutine = walked->goroutine,
		.cpu = wants_cpu(book, observation) ? observation->cpu : 0,
	};
}

static void charge(struct book *book, const struct observation *observation)
{
	struct sprof_thread *thread = observation->thread;
	bool is_exact = observation->by == OBSERVED_BY_REUSE ||
		observation->by == OBSERVED_BY_PEEK || observation->reading;

	if (!is_exact ||
		!sprof_charge_is_due(&book->charging, thread->sampling, observation->time_ns))
		return;
	/* Reading the name costs more than charging a sleeper. */
	if (sprof_charge_window(&book->charging, thread, observation->reading))
		sprof_names_report(book->run, book->sink, thread, false);
}

void sprof_book_looked(struct book *book, struct sprof_thread *thread, enum sprof_state state)
{
	struct sampled *sampled = thread->sampling;

	sprof_account_look(&sampled->account, state, now_of(book->run),
		(uint64_t)(SPROF_NS_PER_S / book->run->options->rate_hz));
}

static void count(
	struct book *book, const struct observation *observation, const struct last_seen *seen)
{
	count_samples(book->run->quality, observation);
	count_stacks(book->run->quality, seen);
}

static void book_look(
	struct book *book, const struct observation *observation, const struct walked *walked)
{
	struct sampled *sampled = observation->thread->sampling;
	const uint64_t ns = sprof_interval_end(&book->samples, observation);

	sprof_book_looked(book, observation->thread, observation->state);
	if (walked) {
		sampled->last = see(book, observation, walked);
		find_wait(book, observation);
		note_sleep(observation, sampled->last.end);
	}
	look_at_lock(book, observation);
	if (is_wanted(book, observation)) {
		sprof_samples_emit(&book->samples, observation, ns);
		count(book, observation, &sampled->last);
	}
	charge(book, observation);
}

/* The thread may sleep by now: the record changes nothing of that. */
static void book_record(
	struct book *book, const struct observation *observation, const struct walked *walked)
{
	struct sampled *sampled = observation->thread->sampling;
	const struct last_seen seen = see(book, observation, walked);
	const uint32_t wait = running_call(book, observation);

	if (!sampled->sleep.active)
		sprof_sampled_runs(sampled, wait);
	if (!is_wanted(book, observation))
		return;
	sprof_samples_add_record(&book->samples, observation, &seen, wait);
	count(book, observation, &seen);
}

enum sprof_end sprof_book_observation(struct book *book, const struct observation *observation)
{
	struct walked walked = {.stack = {.end = observation->end}};

	if (observation->by == OBSERVED_BY_REUSE) {
		book_look(book, observation, NULL);
		return walked.stack.end;
	}
	if (observation->snapshot)
		walked = sprof_walk(book->run, observation);
	/*
	 * A timer copies only one of the two places. The stop that follows copies both, and gets
	 * the time.
	 */
	if (observation->by == OBSERVED_BY_KERNEL && walked.stack.end == SPROF_END_BAD_MEMORY)
		return walked.stack.end;
	if (sprof_interpreted_was_named(observation->thread))
		sprof_names_report(book->run, book->sink, observation->thread, false);
	if (observation->by == OBSERVED_BY_KERNEL)
		book_record(book, observation, &walked);
	else
		book_look(book, observation, &walked);
	return walked.stack.end;
}
