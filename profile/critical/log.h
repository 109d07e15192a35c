/*
 * What a recording keeps for the critical path: moments, and where threads ran and slept. Bounded:
 * of more moments, the latest are kept.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/moment.h"
#include "profile/model/profile.h"

/* A running thread was at a stack. */
struct sprof_critical_sample {
	uint64_t time_ns;
	uint32_t thread, stack; /* the thread's id; the profile's stack */
};

/* A thread slept at a stack, as far as it is known: at one moment, or for some time. */
struct sprof_critical_sleep {
	uint64_t begin_ns, end_ns;
	uint32_t thread, stack;
};

struct sprof_critical_log {
	struct sprof_profile *profile;
	struct sprof_sink inner; /* the profile's */
	struct sprof_moment *moments;
	size_t moment_count, moment_capacity;
	struct sprof_critical_sample *samples;
	size_t sample_count, sample_capacity;
	struct sprof_critical_sleep *sleeps;
	size_t sleep_count, sleep_capacity;
	const char **names; /* of wakers that are not of the target */
	size_t name_count, name_capacity;
	size_t most;       /* of each kind */
	uint64_t begin_ns; /* the first moment that is kept, or the begin of the recording */
	uint64_t end_ns;
	bool is_cut; /* there were earlier moments */
	uint64_t lost;
	/* The path begins and ends with the first process; else it ends with the last thread. */
	bool is_launched;
};

/* Begins a log beside a profile, which must outlive it. `most` 0: a default. */
void sprof_critical_log_begin(
	struct sprof_critical_log *log, struct sprof_profile *profile, size_t most);
/* Zeroed is accepted. */
void sprof_critical_log_finish(struct sprof_critical_log *log);

/* The profile's sink, which also notes where threads are; valid as long as the log. */
struct sprof_sink sprof_critical_log_sink(struct sprof_critical_log *log);

/*
 * The recording is over, at end_ns, and began at begin_ns: settles what is known of threads without
 * moments. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_critical_log_end(
	struct sprof_critical_log *log, uint64_t begin_ns, uint64_t end_ns);

/* `data` is a struct sprof_critical_log. Both return false if out of memory. */
bool sprof_critical_log_moment(void *data, const struct sprof_moment *moment);
bool sprof_critical_log_name(void *data, const char *name, uint32_t *ret);
