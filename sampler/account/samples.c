/*
 * Samples on their way to the sink. The sample of a thread that waits for a lock says where the
 * holder is, so it is deferred until the holder has its sample. Each sample gets its part of the
 * time of an interval of the thread's ledger:
 *
 * - Time on a CPU goes in equal shares to the timer records in the interval; without records, to
 *   the stop at its end; without a stop, it is kept for the next sample.
 * - Time asleep goes to the sleep at the start. If another sleep is seen at the end, each gets
 *   half. Without a sleep at the start, it is kept for the next sleep that is seen.
 * - Time in the run queue goes to the sleep at the start, if the thread was in one; else it goes
 *   with the CPU time.
 *
 * Does not divide the classes of time: the kernel gives their sums (account.c), and these shares
 * are only weights (profile/model/window.c).
 */
#include "sampler/account/book.h"

#include "base/array.h"
#include "base/numbers.h"
#include "sampler/switches/exact.h"

/* Hands it to the sink, if the mode wants it. */
static void hand_over(
	struct run *run, struct sprof_thread *thread, const struct sprof_sample *sample)
{
	struct sampled *sampled = thread->sampling;
	struct sprof_sample given = *sample;

	/* Its stack may be missing, for lack of memory. */
	if (run->out_of_memory)
		return;
	if (sprof_state_is_blocked(sample->state) && !sample->is_further)
		sampled->holder = sample->holder
			? *sample->holder
			: (struct sprof_holder){.thread = SPROF_RECORD_NONE};
	if (run->exact && sprof_exact_report_seen(run->exact, thread, sample))
		given.ns = 0;
	else
		sprof_account_weigh(&sampled->account, sample->state, sample->ns);
	if (sprof_mode_takes(run->options->mode, sample->state) &&
		!run->sink->sample(run->sink->data, &given))
		run->out_of_memory = true;
}

/* Hands it over with the holder of its lock, and where that is; without, if that has ended. */
static void emit(struct run *run, const struct deferred *deferred)
{
	const struct sprof_world *world = run->world;
	struct sprof_sample sample = deferred->sample;
	const struct sprof_thread *thread =
		deferred->holder_tid ? world->find(world->target, deferred->holder_tid) : NULL;
	const struct sampled *sampled = thread ? thread->sampling : NULL;
	struct sprof_holder holder;

	if (sampled) {
		holder.thread = thread->id;
		/* Without a look it is known to sleep on. */
		if (sampled->sleep.active && thread->process->sampling->quiet.is_quiet)
			holder.stack = sampled->last.stack;
		/* A holder that lost its sample, for lack of a CPU, was last seen elsewhere. */
		else
			holder.stack = sampled->place_ns == sample.time_ns ? sampled->place
									   : SPROF_RECORD_NONE;
		sample.holder = &holder;
	}
	hand_over(run, deferred->thread, &sample);
}

static struct sprof_sample sample_of(
	const struct sprof_thread *thread, const struct last_seen *seen, uint32_t wait)
{
	return (struct sprof_sample){
		.thread = thread->id,
		.stack = seen->stack,
		.state = seen->state,
		.wait = wait,
		.goroutine = seen->goroutine,
	};
}

/* Its thread is known to be there now, should it hold a lock. */
static struct sprof_sample sample_at(const struct run *run, const struct observation *observation,
	const struct last_seen *seen, uint32_t wait)
{
	struct sprof_sample sample = sample_of(observation->thread, seen, wait);
	struct sampled *sampled = observation->thread->sampling;

	sampled->place_ns = sample.time_ns = observation->time_ns;
	sampled->place = seen->stack;
	/* A sleeper has left its CPU. */
	if (run->options->cpus && !sprof_state_is_blocked(seen->state))
		sample.cpu = observation->cpu;
	return sample;
}

/* Returns false if it is not deferred, for lack of memory. */
static bool defer(struct book *book, const struct deferred *deferred)
{
	if (!sprof_array_reserve(&book->deferred, &book->deferred_capacity,
		    book->deferred_count + 1, sizeof(*book->deferred)))
		return false;
	book->deferred[book->deferred_count++] = *deferred;
	return true;
}

void sprof_samples_emit(struct book *book, const struct observation *observation, uint64_t ns)
{
	struct sampled *sampled = observation->thread->sampling;
	struct deferred deferred = {
		.thread = observation->thread,
		.sample = sample_at(book->run, observation, &sampled->last, sampled->wait.id),
		.holder_tid = sampled->wait.id ? sampled->wait.lock.holder_tid : 0,
	};

	deferred.sample.ns = ns;
	if (!deferred.holder_tid || !defer(book, &deferred))
		hand_over(book->run, observation->thread, &deferred.sample);
}

void sprof_samples_add_record(struct book *book, const struct observation *observation,
	const struct last_seen *seen, uint32_t wait)
{
	const struct deferred deferred = {
		.thread = observation->thread,
		.sample = sample_at(book->run, observation, seen, wait),
		.is_record = true,
	};

	if (!defer(book, &deferred))
		book->run->out_of_memory = true;
}

/* The thread's records are the last deferred samples. */
static size_t first_record(const struct book *book, const struct sprof_thread *thread)
{
	size_t first = book->deferred_count;

	while (first && book->deferred[first - 1].is_record &&
		book->deferred[first - 1].thread == thread)
		first--;
	return first;
}

bool sprof_samples_have_records(const struct book *book, const struct sprof_thread *thread)
{
	return first_record(book, thread) < book->deferred_count;
}

void sprof_samples_flush(struct book *book, const struct sprof_thread *thread)
{
	size_t kept = 0;

	for (size_t i = 0; i < book->deferred_count; i++) {
		if (!thread || book->deferred[i].thread == thread)
			emit(book->run, &book->deferred[i]);
		else
			book->deferred[kept++] = book->deferred[i];
	}
	book->deferred_count = kept;
}

enum { ALL = 1, HALF = 2 };

static struct ledger_look read_now(const struct run *run, struct sprof_thread *thread)
{
	struct ledger_look look = {.time_ns = now_of(run)};

	if (!run->world->read_schedstat(thread, &look.figures))
		look.time_ns = 0;
	return look;
}

/* Records that were observed in the interval share its CPU time. */
static void end(
	struct book *book, struct sprof_thread *thread, const struct ledger_look *look, bool sleeps)
{
	struct sampled *sampled = thread->sampling;
	struct ledger *ledger = &sampled->ledger;
	const size_t first = first_record(book, thread), count = book->deferred_count - first;
	uint64_t ns;

	if (look->time_ns)
		sprof_ledger_read(ledger, look, sampled->sleep.active, sleeps);
	if (!count)
		return;
	ns = sprof_ledger_take(&ledger->running_ns, UINT64_MAX);
	for (size_t i = 0; i < count; i++) {
		struct deferred *deferred = &book->deferred[first + i];

		deferred->sample.ns = ns * (i + 1) / count - ns * i / count;
		emit(book->run, deferred);
	}
	book->deferred_count = first;
	/* With nohz_full, the kernel adds the CPU time much later. */
	ledger->ran_ns = ledger->last.time_ns;
}

void sprof_interval_read(struct book *book, struct sprof_thread *thread, uint64_t since_ns)
{
	struct ledger_look look = {0};

	if (thread->sampling->ledger.last.time_ns < since_ns)
		look = read_now(book->run, thread);
	end(book, thread, &look, false);
}

/* The sample that is repeated is of the last tick that knew that the thread was still asleep. */
static void sleep_on(struct book *book, struct sprof_thread *thread, const struct ledger_look *look,
	int64_t part)
{
	const struct sprof_sampler_options *options = book->run->options;
	struct sampled *sampled = thread->sampling;
	struct sprof_sample sample;
	uint64_t queue_ns;

	end(book, thread, look, part == HALF);
	sample = sample_of(thread, &sampled->last, sampled->wait.id);
	sample.is_further = true;
	sample.ns = sprof_ledger_take_asleep(&sampled->ledger, part);
	queue_ns = sprof_ledger_take(&sampled->ledger.queue_ns, UINT64_MAX);
	if (options->no_samples || !sprof_mode_takes(options->mode, sample.state) ||
		(!sample.ns && !queue_ns))
		return;
	if (sampled->holder.thread != SPROF_RECORD_NONE)
		sample.holder = &sampled->holder;
	sample.time_ns = sprof_most(sampled->sleep.seen_ns,
		sprof_most(sampled->turn_ns, thread->process->sampling->quiet.quiet_ns));
	sample.queue_ns = sprof_mode_counts(options->mode, SPROF_TIME_RUNQ) ? queue_ns : 0;
	hand_over(book->run, thread, &sample);
}

uint64_t sprof_interval_end(struct book *book, const struct observation *observation)
{
	const bool is_blocked = sprof_state_is_blocked(observation->state);
	struct sprof_thread *thread = observation->thread;
	struct sampled *sampled = thread->sampling;

	if (sampled->sleep.active && observation->by != OBSERVED_BY_REUSE) {
		sleep_on(book, thread, &observation->look, is_blocked ? HALF : ALL);
		sampled->sleep.active = false;
	} else {
		end(book, thread, &observation->look, is_blocked);
	}
	return is_blocked ? sprof_ledger_take_asleep(&sampled->ledger, ALL)
			  : sprof_ledger_take(&sampled->ledger.running_ns,
				    observation->was_queued ? observation->ran_ns : UINT64_MAX);
}

void sprof_interval_sleep(
	struct book *book, struct sprof_thread *thread, uint64_t time_ns, bool reads)
{
	struct sampled *sampled = thread->sampling;
	struct ledger_look look = {time_ns, sampled->ledger.last.figures};

	if (!sampled->sleep.active || time_ns <= sampled->ledger.last.time_ns)
		return;
	if (reads)
		look = read_now(book->run, thread);
	sleep_on(book, thread, &look, ALL);
	/* It has run since. What comes next is another sleep. */
	if (reads && look.time_ns && look.figures.timeslices != sampled->sleep.timeslices)
		sampled->sleep.active = false;
}

void sprof_interval_woke(
	struct book *book, struct sprof_thread *thread, const struct ledger_look *look)
{
	if (thread->sampling->sleep.active)
		sleep_on(book, thread, look, ALL);
	thread->sampling->sleep.active = false;
}
