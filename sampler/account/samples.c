/*
 * Samples on their way to the sink. The sample of a thread that waits for a lock says where the
 * holder is, so it is deferred until the holder has its sample. Does not take samples.
 */
#include "sampler/account/samples.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/numbers.h"
#include "sampler/sampled.h"

void sprof_samples_init(struct samples *samples, struct run *run, const struct sprof_sink *sink)
{
	*samples = (struct samples){.run = run, .sink = sink};
}

void sprof_samples_finish(struct samples *samples)
{
	sprof_samples_forget_all(samples);
	free(samples->last);
	free(samples->deferred);
}

void sprof_samples_forget(struct samples *samples, const struct sprof_thread *thread)
{
	uint32_t place = sprof_idmap_find(&samples->places, 0, thread->id);

	if (place == SPROF_IDMAP_NONE)
		return;
	sprof_idmap_remove(&samples->places, 0, thread->id);
	samples->last[place] =
		(struct last_sample){.thread = SPROF_RECORD_NONE, .stack = samples->free_place};
	samples->free_place = place + 1;
}

void sprof_samples_forget_all(struct samples *samples)
{
	sprof_idmap_finish(&samples->places);
	samples->last_count = samples->free_place = 0;
}

/* NULL: the thread has none yet. */
static struct last_sample *last_of(const struct samples *samples, uint32_t thread)
{
	uint32_t place = sprof_idmap_find(&samples->places, 0, thread);

	return place == SPROF_IDMAP_NONE ? NULL : &samples->last[place];
}

/* Returns a place for the thread's samples, or NULL if out of memory. */
static struct last_sample *take_place(struct samples *samples, uint32_t thread)
{
	uint32_t free_place = samples->free_place;
	uint32_t place = free_place ? free_place - 1 : (uint32_t)samples->last_count;

	if (!sprof_array_reserve(&samples->last, &samples->last_capacity, (size_t)place + 1,
		    sizeof(*samples->last)) ||
		!sprof_idmap_put(&samples->places, 0, thread, place))
		return NULL;
	if (free_place)
		samples->free_place = samples->last[place].stack;
	else
		samples->last_count++;
	return &samples->last[place];
}

/* Avoids a search: the thread remembers the place. */
static struct last_sample *own_last(
	const struct samples *samples, const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	if (sampled->place >= samples->last_count ||
		samples->last[sampled->place].thread != thread->id)
		return NULL;
	return &samples->last[sampled->place];
}

static void note_place(struct samples *samples, const struct sprof_thread *thread, uint64_t time_ns,
	uint32_t stack)
{
	struct last_sample *last = own_last(samples, thread);
	struct sampled *sampled = thread->sampling;

	if (!last)
		last = take_place(samples, thread->id);
	if (!last) {
		samples->run->out_of_memory = true;
		return;
	}
	sampled->place = (uint32_t)(last - samples->last);
	*last = (struct last_sample){sampled, time_ns, thread->id, stack};
}

void sprof_samples_stays(
	struct samples *samples, const struct sprof_thread *thread, uint64_t tick_ns)
{
	const struct sampled *sampled = thread->sampling;
	struct last_sample *last = own_last(samples, thread);

	/*
	 * The last sample handed over may be of an earlier sleep, which ended when the thread woke.
	 */
	if (last)
		*last = (struct last_sample){sampled, tick_ns, thread->id, sampled->last.stack};
}

/* Hands it to the sink, if the mode wants it. */
static void hand_over(const struct samples *samples, struct sprof_thread *thread,
	const struct sprof_sample *sample)
{
	const struct sprof_sink *sink = samples->sink;
	const struct wait_lengths *lengths = samples->run->lengths;
	struct sampled *sampled = thread->sampling;
	struct sprof_sample given = *sample;

	/* Its stack may be missing, for lack of memory. */
	if (samples->run->out_of_memory)
		return;
	if (sprof_state_is_blocked(sample->state) && !sample->is_further)
		sprof_sampled_sleeps(sampled, sample);
	if (lengths && lengths->seen(lengths->data, thread, sample))
		given.ns = 0;
	else
		sprof_account_weigh(&sampled->account, sample->state, sample->ns);
	if (sprof_mode_takes(samples->run->options->mode, sample->state) &&
		!sink->sample(sink->data, &given))
		samples->run->out_of_memory = true;
}

/* Where the holder of a lock is at that time. */
static uint32_t stack_of(const struct last_sample *last, uint64_t time_ns)
{
	const struct sampled *sampled = last->sampled;

	/* Without a look it is known to sleep on. */
	if (sampled->sleep.active && sampled->process->quiet.is_quiet)
		return sampled->last.stack;
	/* A holder that lost its sample, for lack of a CPU, was last seen elsewhere. */
	return last->tick_ns == time_ns ? last->stack : SPROF_RECORD_NONE;
}

static void emit(const struct samples *samples, const struct deferred *deferred)
{
	struct sprof_sample sample = deferred->sample;
	struct sprof_holder holder = {.thread = deferred->holder_id};
	const struct last_sample *last = deferred->holder_id == SPROF_RECORD_NONE
		? NULL
		: last_of(samples, deferred->holder_id);

	if (last) {
		sample.holder = &holder;
		holder.stack = stack_of(last, sample.time_ns);
	}
	hand_over(samples, deferred->thread, &sample);
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
		.cpu = seen->cpu,
	};
}

/* Until the last tick that looked at the thread, or knew that it was still asleep. */
void sprof_samples_sleep_on(
	struct samples *samples, struct sprof_thread *thread, uint64_t ns, uint64_t queue_ns)
{
	const struct sampled *sampled = thread->sampling;
	struct sprof_sample sample = sampled->last_sleep.sample;

	if (!sample.time_ns || (!ns && !queue_ns))
		return;
	sample.time_ns = sprof_most(
		sample.time_ns, sprof_most(sampled->turn_ns, sampled->process->quiet.quiet_ns));
	sample.ns = ns;
	sample.queue_ns =
		sprof_mode_counts(samples->run->options->mode, SPROF_TIME_RUNQ) ? queue_ns : 0;
	sample.is_further = true;
	hand_over(samples, thread, &sample);
}

/* NONE: it waits for no lock, or no holder is known. */
static uint32_t holder_of(const struct sampled *sampled)
{
	if (!sampled->wait.id || !sampled->wait.lock.active)
		return SPROF_RECORD_NONE;
	return sampled->wait.lock.holder_id;
}

void sprof_samples_emit(struct samples *samples, const struct observation *observation, uint64_t ns)
{
	struct sprof_thread *thread = observation->thread;
	const struct sampled *sampled = thread->sampling;
	struct deferred deferred = {
		.thread = thread,
		.sample = sample_of(thread, &sampled->last, sampled->wait.id),
		.holder_id = holder_of(sampled),
		.is_record = observation->by == OBSERVED_BY_KERNEL,
	};

	deferred.sample.time_ns = observation->time_ns;
	deferred.sample.ns = ns;
	note_place(samples, thread, observation->time_ns, deferred.sample.stack);
	if ((deferred.holder_id == SPROF_RECORD_NONE && !deferred.is_record) ||
		!sprof_array_reserve(&samples->deferred, &samples->deferred_capacity,
			samples->deferred_count + 1, sizeof(*samples->deferred))) {
		hand_over(samples, thread, &deferred.sample);
		return;
	}
	samples->deferred[samples->deferred_count++] = deferred;
}

/* The thread's records are the last deferred samples. */
static size_t first_record(const struct samples *samples, const struct sprof_thread *thread)
{
	size_t first = samples->deferred_count;

	while (first && samples->deferred[first - 1].is_record &&
		samples->deferred[first - 1].thread == thread)
		first--;
	return first;
}

bool sprof_samples_have_records(const struct samples *samples, const struct sprof_thread *thread)
{
	return first_record(samples, thread) < samples->deferred_count;
}

void sprof_samples_share(struct samples *samples, const struct sprof_thread *thread, uint64_t ns)
{
	const size_t first = first_record(samples, thread), count = samples->deferred_count - first;

	for (size_t i = 0; i < count; i++) {
		struct deferred *deferred = &samples->deferred[first + i];

		deferred->sample.ns = ns * (i + 1) / count - ns * i / count;
		emit(samples, deferred);
	}
	samples->deferred_count = first;
}

void sprof_samples_flush(struct samples *samples, const struct sprof_thread *thread)
{
	size_t kept = 0;

	for (size_t i = 0; i < samples->deferred_count; i++) {
		if (!thread || samples->deferred[i].thread == thread)
			emit(samples, &samples->deferred[i]);
		else
			samples->deferred[kept++] = samples->deferred[i];
	}
	samples->deferred_count = kept;
}
