/* Passes all records on to the profile, and keeps the places of threads. */
#include "profile/critical/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/model/index.h"

enum { MOST = 8 * 1000 * 1000 };

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

/* The path is found from its end, so the older half is given up. */
static void forget_older_half(struct sprof_critical_log *log)
{
	const size_t half = log->moment_count / 2;

	log->moment_count -= half;
	memmove(log->moments, log->moments + half, log->moment_count * sizeof(*log->moments));
	log->begin_ns = log->moments[0].time_ns;
	log->is_cut = true;
}

bool sprof_critical_log_moment(void *data, const struct sprof_moment *moment)
{
	struct sprof_critical_log *log = data;

	if (log->moment_count == log->most)
		forget_older_half(log);
	return SPROF_ARRAY_APPEND(log->moments, log->moment_count, log->moment_capacity, *moment);
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

	return log->sleep_count >= log->most ||
		(sprof_profile_enter_kernel(
			 log->profile, where->stack, where->wait, &sleep.stack) &&
			SPROF_ARRAY_APPEND(
				log->sleeps, log->sleep_count, log->sleep_capacity, sleep));
}

static bool sink_sample(void *data, const struct sprof_sample *sample)
{
	struct sprof_critical_log *log = data;
	const struct sprof_critical_sample place = {sample->time_ns, sample->thread, sample->stack};
	bool ok = true;

	if (sample->is_further)
		ok = true;
	else if (sprof_state_is_blocked(sample->state))
		ok = add_sleep(log, sample, sample->time_ns, sample->time_ns);
	else if (log->sample_count < log->most)
		ok = SPROF_ARRAY_APPEND(
			log->samples, log->sample_count, log->sample_capacity, place);
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
