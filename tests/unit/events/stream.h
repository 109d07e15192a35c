/*
 * Streams of scheduler records about thread A, and what delays.h makes of them, for tests.
 */
#pragma once

#include "events/sched/delays.h"
#include "tests/unit/check.h"

enum { A = 11, B = 12 };

static inline struct sprof_delays begin(bool has_switches, bool has_wakeups)
{
	struct sprof_delays delays = {
		.options =
			{
				.than_ns = 100,
				.per_thread = true,
				.has_switches = has_switches,
				.has_wakeups = has_wakeups,
			},
		.interval_begin_ns = 1,
	};

	sprof_delays_add_thread(&delays, A, "a", false);
	return delays;
}

static inline void take(
	struct sprof_delays *delays, uint64_t time, pid_t tid, enum sprof_sched_kind kind)
{
	const struct sprof_sched_record record = {.time_ns = time, .tid = tid, .kind = kind};

	sprof_delays_take(delays, &record);
}

static inline void take_off(struct sprof_delays *delays, uint64_t time, pid_t tid, bool preempted)
{
	const struct sprof_sched_record record = {
		.time_ns = time, .tid = tid, .kind = SPROF_SCHED_OFF, .preempted = preempted};

	sprof_delays_take(delays, &record);
}

static inline void take_reading(
	struct sprof_delays *delays, uint64_t time, pid_t tid, uint64_t slices, uint64_t delay)
{
	const struct sprof_sched_record record = {
		.time_ns = time,
		.tid = tid,
		.kind = SPROF_SCHED_READING,
		.slices = slices,
		.delay_ns = delay,
	};

	sprof_delays_take(delays, &record);
}

static inline const struct sprof_delay_counts *figures(
	const struct sprof_delays *delays, pid_t tid, enum sprof_delay_kind kind)
{
	return &sprof_delays_find(delays, tid)->interval.kinds[kind];
}

static inline void check_seen(const struct sprof_delays *delays, enum sprof_delay_kind kind,
	uint64_t count, uint64_t total)
{
	assert_int_equal(figures(delays, A, kind)->seen.count, count);
	assert_int_equal(figures(delays, A, kind)->seen.total, total);
}

static inline void check_derived(const struct sprof_delays *delays, enum sprof_delay_kind kind,
	uint64_t count, uint64_t total)
{
	assert_int_equal(figures(delays, A, kind)->derived_count, count);
	assert_int_equal(figures(delays, A, kind)->derived_ns, total);
}
