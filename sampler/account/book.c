/*
 * Booking: turns an observation into a sample, its wait, its charge and the quality figures. Does
 * not take samples or choose their order.
 */
#include "sampler/account/book.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "interp/interp.h"
#include "sampler/stack/copy.h"
#include "sampler/stack/mappings.h"
#include "sampler/switches/switching.h"

void sprof_book_init(struct book *book, struct run *run)
{
	*book = (struct book){.run = run};
	sprof_waits_init(&book->waits, run);
}

void sprof_book_finish(struct book *book)
{
	sprof_waits_finish(&book->waits);
	free(book->deferred);
}

/* Notes what the kernel had counted before: nothing, if all counts belong to this run. */
static void note_first(
	struct sprof_thread *thread, const struct sprof_thread_facts *facts, bool is_all_ours)
{
	struct sampled *sampled = thread->sampling;

	sampled->own_tid = facts->own_tid ? facts->own_tid : thread->tid;
	memset(sampled->first, 0, sizeof(sampled->first));
	if (!is_all_ours)
		memcpy(sampled->first, facts->counters, sizeof(sampled->first));
}

struct sampled *sprof_book_open(struct book *book, struct sprof_thread *thread)
{
	struct run *run = book->run;
	/* It was born during the run, and not while sampling was off. */
	const bool is_all_ours = thread->born && thread->seen_ns >= book->begin_ns;
	struct reading reading = {0};

	if (thread->sampling)
		return thread->sampling;
	if (!sprof_reading_take(run->world, thread, &reading) && !is_all_ours)
		return NULL;
	if (is_all_ours)
		reading.figures = sprof_figures_at_birth(run->world, thread);
	reading.figures.cpus = *sprof_charge_cpus(book);
	if (sprof_sampled_process_of(thread->process))
		thread->sampling = calloc(1, sizeof(*thread->sampling));
	if (!thread->sampling) {
		run->out_of_memory = true;
		return NULL;
	}
	thread->sampling->holder.thread = SPROF_RECORD_NONE;
	sprof_sampled_begin(
		thread->sampling, &reading.figures, is_all_ours ? 0 : reading.schedstat.timeslices);
	note_first(thread, &reading.facts, is_all_ours);
	sprof_names_report(run, thread, true);
	return thread->sampling;
}

/* Hands over the samples that are still deferred, and the time of its sleep so far. */
static void hand_over_samples(struct book *book, struct sprof_thread *thread)
{
	sprof_samples_flush(book, thread);
	sprof_interval_sleep(book, thread, now_of(book->run), true);
}

/* All that a worker of the kernel does is at one place, even if no tick has seen it at work. */
static void book_worker(struct book *book, struct sprof_thread *thread)
{
	struct observation observation = {
		.thread = thread,
		.by = OBSERVED_BY_PEEK,
		.time_ns = now_of(book->run),
		.state = SPROF_STATE_SYS,
		.end = SPROF_END_ROOT,
		.call = {.kind = SPROF_PROC_SYSCALL_OUTSIDE, .number = -1},
	};

	observation.look.time_ns = observation.time_ns;
	if (book->run->world->read_schedstat(thread, &observation.look.figures))
		sprof_book_observation(book, &observation);
}

void sprof_book_ended(struct book *book, struct sprof_thread *thread)
{
	if (thread->sampling->has_ended)
		return;
	if (thread->is_worker)
		book_worker(book, thread);
	thread->sampling->has_ended = true;
	sprof_charge_window(book, thread, NULL);
}

void sprof_book_settle(struct book *book, struct sprof_thread *thread, bool with_figures)
{
	const bool was_open = thread->sampling;

	/* A thread that lived between two ticks has figures too. */
	if (!sprof_book_open(book, thread))
		return;
	/* The last name counts, even if no tick has looked at the thread since it changed. */
	if (was_open && with_figures)
		sprof_names_report(book->run, thread, false);
	hand_over_samples(book, thread);
	if (thread->is_worker && !thread->sampling->has_ended && with_figures &&
		sprof_thread_has_figures(thread))
		book_worker(book, thread);
	sprof_charge_last(book, thread, with_figures);
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
	sprof_names_report(book->run, thread, true);
}

void sprof_book_close(struct book *book, struct sprof_thread *thread)
{
	if (thread->sampling) {
		sprof_interp_thread_destroy(thread->sampling->script);
		sprof_switching_destroy(thread->sampling->switching);
	}
	free(thread->sampling);
	thread->sampling = NULL;
	/* Since its last sample it may have loaded a library. */
	if (thread->process->sampling)
		sprof_mappings_doubt(&thread->process->sampling->mappings);
}

void sprof_book_pause(struct book *book, uint64_t time_ns)
{
	const struct sprof_sink *sink = book->run->sink;
	const struct threads threads = threads_of(book->run);

	for (size_t i = 0; i < threads.count; i++) {
		if (!threads.items[i]->sampling)
			continue;
		hand_over_samples(book, threads.items[i]);
		sprof_charge_pause(book, threads.items[i], time_ns);
		sprof_sampled_restarted(threads.items[i]->sampling);
	}
	if (sink->pause)
		sink->pause(sink->data);
}

void sprof_book_resume(struct book *book)
{
	const struct processes processes = processes_of(book->run);
	struct threads threads;

	book->begin_ns = now_of(book->run);
	/* Those that were born meanwhile: what they have used is not charged. */
	for (size_t i = 0; i < processes.count; i++)
		book->run->world->find_workers(book->run->world->target, processes.items[i]);
	threads = threads_of(book->run);
	for (size_t i = 0; i < threads.count; i++) {
		if (threads.items[i]->sampling)
			sprof_charge_resume(book, threads.items[i]);
		else
			sprof_book_open(book, threads.items[i]);
	}
}

void sprof_book_restart(struct book *book, bool is_off)
{
	const struct threads threads = threads_of(book->run);

	/* They have ids of the old one. */
	book->waits.locks = (struct locks){.run = book->run};
	for (size_t i = 0; i < threads.count; i++) {
		if (threads.items[i]->sampling)
			threads.items[i]->process->sampling->is_named = false;
	}
	for (size_t i = 0; i < threads.count; i++) {
		struct sprof_thread *thread = threads.items[i];
		struct reading reading = {0};

		if (!thread->sampling)
			continue;
		sprof_sampled_restarted(thread->sampling);
		(void)!sprof_reading_take(book->run->world, thread, &reading);
		note_first(thread, &reading.facts, is_off);
		sprof_names_report(book->run, thread, true);
	}
}

/* Whether the mode wants samples of this state. */
static bool is_wanted(const struct book *book, const struct observation *observation)
{
	const struct sprof_sampler_options *options = book->run->options;

	return !options->no_samples && sprof_mode_takes(options->mode, observation->state);
}

static void count(struct sprof_quality *quality, enum observed_by by, const struct last_seen *seen)
{
	quality->samples_by_kernel += by == OBSERVED_BY_KERNEL;
	quality->samples_reused += by == OBSERVED_BY_REUSE;
	quality->samples_peeked += by == OBSERVED_BY_PEEK;
	quality->samples_stopped += by == OBSERVED_BY_STOP;
	quality->stacks[seen->end]++;
	quality->merges[seen->merge]++;
	quality->stacks_by_code += seen->way == SPROF_WAY_CODE;
	quality->stacks_by_frame_pointer += seen->way == SPROF_WAY_FRAME_POINTER;
}

static uint32_t running_call(struct book *book, const struct observation *observation)
{
	return observation->state == SPROF_STATE_SYS
		? sprof_waits_running(&book->waits, observation->thread, observation)
		: SPROF_WAIT_NONE;
}

/* The sink gets no stacks without samples. */
static struct last_seen see(
	struct book *book, const struct observation *observation, const struct walked *walked)
{
	struct run *run = book->run;
	uint32_t stack = 0;

	run->quality->frames += walked->stack.count;
	if (is_wanted(book, observation) &&
		!run->sink->stack(run->sink->data, &walked->stack, &stack))
		run->out_of_memory = true;
	return (struct last_seen){
		.stack = stack,
		.state = observation->state,
		.end = walked->stack.end,
		.way = walked->stack.way,
		.merge = walked->stack.merge,
		.goroutine = walked->goroutine,
	};
}

static void charge(struct book *book, const struct observation *observation)
{
	struct sprof_thread *thread = observation->thread;
	bool is_exact = observation->by == OBSERVED_BY_REUSE ||
		observation->by == OBSERVED_BY_PEEK || observation->reading;

	if (!is_exact || !sprof_charge_is_due(book, thread->sampling, observation->time_ns))
		return;
	/* Reading the name costs more than charging a sleeper. */
	if (sprof_charge_window(book, thread, observation->reading))
		sprof_names_report(book->run, thread, false);
}

void sprof_book_looked(struct book *book, struct sprof_thread *thread, enum sprof_state state)
{
	sprof_account_look(&thread->sampling->account, state, now_of(book->run),
		(uint64_t)(SPROF_NS_PER_S / book->run->options->rate_hz));
}

/*
 * What the thread does in the kernel, and whether its sample may be repeated: if the next sleep can
 * be distinguished from this one, and no larger copy may show more of the stack. A thread in a
 * group-stop waits for SIGCONT only.
 */
static void note(struct book *book, const struct observation *observation)
{
	struct sprof_thread *thread = observation->thread;
	struct sampled *sampled = thread->sampling;

	if (observation->snapshot &&
		(observation->state == SPROF_STATE_SLEEP || observation->state == SPROF_STATE_DISK))
		sprof_waits_look_up(&book->waits, thread, &observation->call, observation->time_ns);
	else
		sampled->wait = (struct known_wait){.id = running_call(book, observation)};
	if (observation->by == OBSERVED_BY_PEEK)
		sampled->sleep = (struct known_sleep){
			.active = sprof_state_is_blocked(observation->state) &&
				!book->run->quality->schedstat_missing &&
				sampled->last.end != SPROF_END_STACK_COPY,
			.seen_ns = observation->look.time_ns,
			.timeslices = observation->look.figures.timeslices,
		};
}

static void book_look(
	struct book *book, const struct observation *observation, const struct walked *walked)
{
	struct sprof_thread *thread = observation->thread;
	struct sampled *sampled = thread->sampling;
	struct lock_watch *watch = &sampled->wait.lock;
	const uint64_t ns = sprof_interval_end(book, observation);

	sprof_book_looked(book, thread, observation->state);
	if (walked) {
		sampled->last = see(book, observation, walked);
		note(book, observation);
	}
	/* The lock may have changed hands while the thread slept. */
	if (sampled->wait.id && watch->futex.address)
		sprof_locks_look(&book->waits.locks, thread, watch, observation->time_ns);
	if (is_wanted(book, observation)) {
		sprof_samples_emit(book, observation, ns);
		count(book->run->quality, observation->by, &sampled->last);
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
		sampled->wait = (struct known_wait){.id = wait};
	if (!is_wanted(book, observation))
		return;
	sprof_samples_add_record(book, observation, &seen, wait);
	count(book->run->quality, observation->by, &seen);
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
		sprof_names_report(book->run, observation->thread, false);
	if (observation->by == OBSERVED_BY_KERNEL)
		book_record(book, observation, &walked);
	else
		book_look(book, observation, &walked);
	return walked.stack.end;
}
