/*
 * Samples on their way to the sink. Knows that the sample of a thread that waits for a lock says where the
 * holder is, so that it is put off to the end of the tick, when the holder has its sample too. Refuses to
 * know how samples are taken.
 */
#include "sampler/samples.h"

#include <stdlib.h>

#include "base/array.h"
#include "sampler/sampler-internal.h"

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

/* NULL: it has none yet. */
static struct last_sample *last_of(const struct samples *samples, uint32_t thread)
{
	uint32_t place = sprof_idmap_find(&samples->places, 0, thread);

	return place == SPROF_IDMAP_NONE ? NULL : &samples->last[place];
}

/* A place for the thread's samples. NULL: no memory. */
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

/* The same without a search: the thread remembers the place. */
static struct last_sample *own_last(const struct samples *samples, const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	if (sampling->place >= samples->last_count ||
		samples->last[sampling->place].thread != thread->id)
		return NULL;
	return &samples->last[sampling->place];
}

static void note_place(struct sampler *sampler, const struct sprof_thread *thread, uint32_t stack)
{
	struct last_sample *last = own_last(&sampler->samples, thread);
	struct sampling *sampling = thread->sampling;

	if (!last)
		last = take_place(&sampler->samples, thread->id);
	if (!last) {
		sampler->out_of_memory = true;
		return;
	}
	sampling->place = (uint32_t)(last - sampler->samples.last);
	*last = (struct last_sample){sampler->tick.ns, thread->id, stack};
}

void sprof_samples_stays(struct sampler *sampler, const struct sprof_thread *thread)
{
	struct last_sample *last = own_last(&sampler->samples, thread);

	if (last)
		last->tick_ns = sampler->tick.ns;
}

/* To the sink, if it is of the mode. */
static void hand_over(struct sampler *sampler, const struct sprof_thread *thread,
	const struct sprof_sample *sample)
{
	const struct sprof_sink *sink = sampler->parts->sink;
	struct sampling *sampling = thread->sampling;

	/* Its stack may be what there was no memory for; the run ends with this tick. */
	if (sampler->out_of_memory)
		return;
	sprof_account_see(&sampling->account, sample->state, sample->count ? sample->count : 1);
	if (sprof_mode_takes(sampler->options->mode, sample->state) &&
		!sink->sample(sink->data, sample))
		sampler->out_of_memory = true;
}

static void emit(struct sampler *sampler, const struct deferred *deferred)
{
	struct sprof_sample sample = deferred->sample;
	struct sprof_holder holder = {.thread = deferred->holder_id, .stack = SPROF_RECORD_NONE};
	const struct last_sample *last = deferred->holder_id == SPROF_RECORD_NONE
		? NULL
		: last_of(&sampler->samples, deferred->holder_id);

	if (last) {
		sample.holder = &holder;
		/* One that lost its sample, for lack of a CPU, was seen somewhere else. */
		if (last->tick_ns == sample.time_ns)
			holder.stack = last->stack;
	}
	sample.count = deferred->times;
	hand_over(sampler, deferred->thread, &sample);
}

void sprof_samples_emit(struct sampler *sampler, struct sprof_thread *thread, uint32_t times)
{
	struct sampling *sampling = thread->sampling;
	struct samples *samples = &sampler->samples;
	struct deferred deferred = {
		.thread = thread,
		.sample = {.time_ns = sampler->tick.ns,
			.thread = thread->id,
			.stack = sampling->last.stack,
			.state = sampling->last.state,
			.wait = sampling->wait.id,
			.goroutine = sampling->last.goroutine},
		.times = times,
		.holder_id = SPROF_RECORD_NONE,
	};

	if (sampling->wait.id && sampling->wait.lock.active && !sampler->tick.is_past)
		sprof_locks_look(sampler, thread);
	note_place(sampler, thread, sampling->last.stack);
	if (!sampling->wait.id || !sprof_locks_is_held(&sampling->wait.lock) ||
		!sprof_array_reserve(&samples->deferred, &samples->deferred_capacity,
			samples->deferred_count + 1, sizeof(*samples->deferred))) {
		emit(sampler, &deferred);
		return;
	}
	deferred.holder_id = sampling->wait.lock.holder_id;
	samples->deferred[samples->deferred_count++] = deferred;
}

void sprof_samples_flush(struct sampler *sampler, const struct sprof_thread *thread)
{
	struct samples *samples = &sampler->samples;
	size_t kept = 0;

	for (size_t i = 0; i < samples->deferred_count; i++) {
		if (!thread || samples->deferred[i].thread == thread)
			emit(sampler, &samples->deferred[i]);
		else
			samples->deferred[kept++] = samples->deferred[i];
	}
	samples->deferred_count = kept;
}
