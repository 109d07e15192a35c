/*
 * Passes all records on to the profile, and keeps the places of threads. While the path is found,
 * each moment takes about 130 bytes: itself, with the array's spare room, and up to two copies of
 * the part that it ends. Each sample and sleep takes about 140 bytes together, with their sorted
 * copies. MOST of each kind take less than 300 MB.
 */
#include "profile/critical/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/numbers.h"
#include "profile/model/index.h"

enum { MOST = 1000 * 1000 };

void sprof_critical_log_begin(
	struct sprof_critical_log *log, struct sprof_profile *profile, size_t most)
{
	*log = (struct sprof_critical_log){
		.profile = profile,
		.inner = sprof_profile_sink(profile),
		.most = most ? most : MOST,
	};
}

void sprof_critical_log_finish(struct sprof_critical_log *log)
{
	for (size_t i = 0; i < log->name_count; i++)
		free((void *)log->names[i]);
	free(log->names);
	free(log->moments);
	free(log->samples);
	free(log->sleeps);
	*log = (struct sprof_critical_log){0};
}

/* The path is found from its end, so the older half of what came is given up. */
static void forget_older_half(void *items, size_t *count, size_t item_size)
{
	const size_t half = *count / 2;

	*count -= half;
	memmove(items, (char *)items + half * item_size, *count * item_size);
}

/* Where threads were before the first moment that is kept is of no use. */
static void forget_older_places(struct sprof_critical_log *log)
{
	size_t samples = 0, sleeps = 0;

	for (size_t i = 0; i < log->sample_count; i++) {
		if (log->samples[i].time_ns >= log->begin_ns)
			log->samples[samples++] = log->samples[i];
	}
	for (size_t i = 0; i < log->sleep_count; i++) {
		if (log->sleeps[i].end_ns >= log->begin_ns)
			log->sleeps[sleeps++] = log->sleeps[i];
	}
	log->sample_count = samples;
	log->sleep_count = sleeps;
}

static void forget_older_moments(struct sprof_critical_log *log)
{
	forget_older_half(log->moments, &log->moment_count, sizeof(*log->moments));
	log->begin_ns = log->moments[0].time_ns;
	log->is_cut = true;
	forget_older_places(log);
}

bool sprof_critical_log_moment(void *data, const struct sprof_moment *moment)
{
	struct sprof_critical_log *log = data;

	if (log->moment_count == log->most)
		forget_older_moments(log);
	return SPROF_ARRAY_APPEND(log->moments, log->moment_count, log->moment_capacity, *moment);
}

/* What is known of a thread, of the time that is kept. */
struct seen {
	bool has_moment;
	uint64_t ran_ns, slept_ns; /* the latest sample; 0: none */
};

static size_t count_threads(const struct sprof_critical_log *log)
{
	size_t count = 0;

	for (size_t i = 0; i < log->moment_count; i++) {
		if (log->moments[i].kind != SPROF_MOMENT_GAP)
			count = sprof_most(count, (size_t)log->moments[i].thread + 1);
	}
	for (size_t i = 0; i < log->sample_count; i++)
		count = sprof_most(count, (size_t)log->samples[i].thread + 1);
	for (size_t i = 0; i < log->sleep_count; i++)
		count = sprof_most(count, (size_t)log->sleeps[i].thread + 1);
	return count;
}

static void see_all(const struct sprof_critical_log *log, struct seen *seen)
{
	for (size_t i = 0; i < log->moment_count; i++) {
		if (log->moments[i].kind != SPROF_MOMENT_GAP)
			seen[log->moments[i].thread].has_moment = true;
	}
	for (size_t i = 0; i < log->sample_count; i++) {
		uint64_t *ran_ns = &seen[log->samples[i].thread].ran_ns;

		*ran_ns = sprof_most(*ran_ns, log->samples[i].time_ns);
	}
	for (size_t i = 0; i < log->sleep_count; i++) {
		uint64_t *slept_ns = &seen[log->sleeps[i].thread].slept_ns;

		*slept_ns = sprof_most(*slept_ns, log->sleeps[i].end_ns);
	}
}

bool sprof_critical_log_end(struct sprof_critical_log *log, uint64_t begin_ns, uint64_t end_ns)
{
	const size_t count = count_threads(log);
	struct seen *seen = calloc(count + 1, sizeof(*seen));
	bool ok = seen;

	if (!log->is_cut)
		log->begin_ns = begin_ns;
	log->end_ns = end_ns;
	if (ok)
		see_all(log, seen);
	for (size_t i = 0; ok && i < count; i++) {
		const bool is_asleep = seen[i].slept_ns > seen[i].ran_ns;
		const struct sprof_moment moment = {
			.time_ns = end_ns,
			.thread = (uint32_t)i,
			.kind = is_asleep ? SPROF_MOMENT_SEEN_ASLEEP : SPROF_MOMENT_SEEN_RUNNING,
		};

		/* Without a moment, and not seen since the first one that is kept: it ended before. */
		if (!seen[i].has_moment &&
			sprof_most(seen[i].ran_ns, seen[i].slept_ns) > log->begin_ns)
			ok = SPROF_ARRAY_APPEND(
				log->moments, log->moment_count, log->moment_capacity, moment);
	}
	free(seen);
	return ok;
}

bool sprof_critical_log_name(void *data, const char *name, uint32_t *ret)
{
	struct sprof_critical_log *log = data;
	char *copy;

	for (size_t i = 0; i < log->name_count; i++) {
		if (strcmp(log->names[i], name) == 0) {
			*ret = (uint32_t)i;
			return true;
		}
	}
	copy = strdup(name);
	*ret = (uint32_t)log->name_count;
	if (copy && SPROF_ARRAY_APPEND(log->names, log->name_count, log->name_capacity, copy))
		return true;
	free(copy);
	return false;
}

static bool add_sleep(struct sprof_critical_log *log, const struct sprof_sample *where,
	uint64_t begin_ns, uint64_t end_ns)
{
	struct sprof_critical_sleep sleep = {begin_ns, end_ns, where->thread, 0};

	if (log->sleep_count == log->most)
		forget_older_half(log->sleeps, &log->sleep_count, sizeof(*log->sleeps));
	return sprof_profile_enter_kernel(log->profile, where->stack, where->wait, &sleep.stack) &&
		SPROF_ARRAY_APPEND(log->sleeps, log->sleep_count, log->sleep_capacity, sleep);
}

static bool add_sample(struct sprof_critical_log *log, const struct sprof_sample *sample)
{
	const struct sprof_critical_sample place = {sample->time_ns, sample->thread, sample->stack};

	if (log->sample_count == log->most)
		forget_older_half(log->samples, &log->sample_count, sizeof(*log->samples));
	return SPROF_ARRAY_APPEND(log->samples, log->sample_count, log->sample_capacity, place);
}

static bool sink_sample(void *data, const struct sprof_sample *sample)
{
	struct sprof_critical_log *log = data;
	bool ok = true;

	if (!sample->is_further)
		ok = sprof_state_is_blocked(sample->state)
			? add_sleep(log, sample, sample->time_ns, sample->time_ns)
			: add_sample(log, sample);
	return log->inner.sample(log->inner.data, sample) && ok;
}

static bool sink_waited(
	void *data, const struct sprof_sample *where, const struct sprof_waited *waited)
{
	struct sprof_critical_log *log = data;

	return add_sleep(log, where, waited->begin_ns, waited->end_ns) &&
		log->inner.waited(log->inner.data, where, waited);
}

static bool sink_thread(void *data, const struct sprof_thread_record *record)
{
	const struct sprof_critical_log *log = data;

	return log->inner.thread(log->inner.data, record);
}

static bool sink_stack(void *data, const struct sprof_stack_view *stack, uint32_t *ret_id)
{
	const struct sprof_critical_log *log = data;

	return log->inner.stack(log->inner.data, stack, ret_id);
}

static bool sink_charge(void *data, uint32_t thread, const struct sprof_charge *charge)
{
	const struct sprof_critical_log *log = data;

	return log->inner.charge(log->inner.data, thread, charge);
}

static bool sink_wait(void *data, const struct sprof_wait *wait, uint32_t *ret_id)
{
	const struct sprof_critical_log *log = data;

	return log->inner.wait(log->inner.data, wait, ret_id);
}

static bool sink_facts(void *data, uint32_t thread, const struct sprof_thread_facts *facts)
{
	const struct sprof_critical_log *log = data;

	return log->inner.facts(log->inner.data, thread, facts);
}

static void sink_pause(void *data)
{
	const struct sprof_critical_log *log = data;

	log->inner.pause(log->inner.data);
}

struct sprof_sink sprof_critical_log_sink(struct sprof_critical_log *log)
{
	return (struct sprof_sink){
		.data = log,
		.thread = sink_thread,
		.stack = sink_stack,
		.sample = sink_sample,
		.charge = sink_charge,
		.wait = sink_wait,
		.facts = sink_facts,
		.waited = sink_waited,
		.pause = sink_pause,
	};
}
