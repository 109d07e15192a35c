/*
 * The arithmetic of time accounting: distributes the kernel's time over samples.
 *
 * A class's time goes only to samples in a state of that class, so a sleeping function is never
 * charged with CPU time. There is one exception: page faults take system time, but stops find the
 * thread in user code. Run-queue time goes to sleeps first, each as much as followed it; the rest
 * goes to the running samples. Shares are differences of a rounded running sum: each is within a
 * nanosecond of its proportion, and their sum is exact.
 */
#include "profile/model/window.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"

enum {
	/*
	 * Samples fall at random: 19 of 20 gaps are at most this many times as long as the mean
	 * gap.
	 */
	TAIL_SAMPLES = 3,
	/* standard errors, that chance does not explain: one in a thousand windows */
	SURE = 3,
};

/*
 * The states whose samples can get time of a class. A thread may be in the run queue, or robbed of
 * its CPU, in any state.
 */
static const bool takes[SPROF_TIME_COUNT][SPROF_STATE_COUNT] = {
	[SPROF_TIME_USER] = {[SPROF_STATE_USER] = true},
	[SPROF_TIME_SYS] = {[SPROF_STATE_SYS] = true},
	[SPROF_TIME_RUNQ] = {[SPROF_STATE_USER] = true, [SPROF_STATE_SYS] = true},
	[SPROF_TIME_SLEEP] = {[SPROF_STATE_SLEEP] = true},
	[SPROF_TIME_DISK] = {[SPROF_STATE_DISK] = true},
	[SPROF_TIME_STOPPED] = {[SPROF_STATE_STOPPED] = true},
	[SPROF_TIME_STOLEN] = {[SPROF_STATE_USER] = true, [SPROF_STATE_SYS] = true},
};

void sprof_window_finish(struct sprof_window *window)
{
	free(window->runs);
	*window = (struct sprof_window){0};
}

bool sprof_window_add(struct sprof_window *window, const struct sprof_window_run *more)
{
	struct sprof_window_run *last = window->count ? &window->runs[window->count - 1] : NULL;

	assert(more->state < SPROF_STATE_COUNT);
	if (last && last->row == more->row && last->state == more->state &&
		last->count < UINT32_MAX - more->count) {
		last->count += more->count;
		last->ns += more->ns;
		last->queue_ns += more->queue_ns;
		return true;
	}
	return SPROF_ARRAY_APPEND(window->runs, window->count, window->capacity, *more);
}

/*
 * The weight of samples in a class. Samples that explain no time have a small weight, because there
 * may be no others.
 */
static uint64_t weight_of(const struct sprof_window_run *run, const bool *states)
{
	if (!states)
		return run->queue_ns;
	return states[run->state] ? run->ns + run->count : 0;
}

/*
 * Distributes ns of the class over the samples in those states; NULL: over the sleeps that a wait
 * in the run queue followed. Returns false if the window has none.
 */
static bool hand_out(struct sprof_window *window, enum sprof_time_class class, const bool *states,
	uint64_t ns, struct sprof_profile_row *rows)
{
	uint64_t samples = 0, weight = 0, seen = 0, given = 0;

	for (size_t i = 0; i < window->count; i++)
		weight += weight_of(&window->runs[i], states);
	if (!weight)
		return false;
	for (size_t i = 0; i < window->count; i++) {
		const struct sprof_window_run *run = &window->runs[i];
		uint64_t until;

		if (!weight_of(run, states))
			continue;
		/* Those of sleeps don't count in the run queue. */
		samples += states ? run->count : 0;
		seen += weight_of(run, states);
		until = (uint64_t)((__uint128_t)ns * seen / weight);
		rows[run->row].metrics.times.ns[class] += until - given;
		given = until;
		window->given[class].last_row = run->row;
	}
	assert(given == ns);
	window->given[class].ns += ns;
	window->given[class].samples += samples;
	return true;
}

/* The CPU time that samples explain: in all, and in system calls. */
struct explained {
	double ns, in_calls_ns;
	double samples; /* samples of equal length that would err by as much */
};

static struct explained explained_by(const struct sprof_window *window)
{
	struct explained explained = {0};
	double squares = 0;

	for (size_t i = 0; i < window->count; i++) {
		const struct sprof_window_run *run = &window->runs[i];
		const double ns = (double)weight_of(run, takes[SPROF_TIME_RUNQ]);

		if (!run->count)
			continue;
		explained.ns += ns;
		explained.in_calls_ns += run->state == SPROF_STATE_SYS ? ns : 0;
		squares += ns * ns / run->count;
	}
	explained.samples = squares > 0 ? explained.ns * explained.ns / squares : 0;
	return explained;
}

/*
 * The system time that samples in system calls don't explain: a page fault interrupts user code,
 * where a stop then finds the thread. A stop that comes at the end of a long call explains all of
 * the call, so the samples' times decide, not their number.
 */
static uint64_t outside_calls(
	const struct sprof_window *window, uint64_t user_ns, uint64_t system_ns)
{
	const struct explained explained = explained_by(window);
	const double cpu_ns = (double)user_ns + (double)system_ns;
	double share, seen;

	if (!system_ns || explained.in_calls_ns == explained.ns)
		return 0;
	share = (double)system_ns / cpu_ns;
	seen = explained.in_calls_ns / explained.ns;
	if (seen + SURE * sqrt(share * (1 - share) / explained.samples) + 1 / explained.samples >=
		share)
		return 0;
	return system_ns - (uint64_t)(seen * cpu_ns);
}

/* Distributes at most that much carried time of a class. */
static void hand_out_carried(struct sprof_window *window, enum sprof_time_class class,
	const bool *states, uint64_t most_ns, struct sprof_profile_row *rows)
{
	uint64_t *carried = &window->carried.ns[class];
	const uint64_t ns = *carried < most_ns ? *carried : most_ns;

	if (ns && hand_out(window, class, states, ns, rows))
		*carried -= ns;
}

static uint64_t queue_of(const struct sprof_window *window)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < window->count; i++)
		ns += window->runs[i].queue_ns;
	return ns;
}

static void hand_out_faults(struct sprof_window *window, struct sprof_profile_row *rows)
{
	uint64_t *carried = window->carried.ns;
	uint64_t ns = outside_calls(window, carried[SPROF_TIME_USER], carried[SPROF_TIME_SYS]);

	/* A call that mostly sleeps has few samples as running, too. */
	if (ns / SPROF_MOST_FAULT_NS >= window->faults)
		ns = window->faults * SPROF_MOST_FAULT_NS;
	if (!ns || !hand_out(window, SPROF_TIME_SYS, takes[SPROF_TIME_USER], ns, rows))
		return;
	carried[SPROF_TIME_SYS] -= ns;
	window->faults -= (ns + SPROF_MOST_FAULT_NS - 1) / SPROF_MOST_FAULT_NS;
}

void sprof_window_fault(struct sprof_window *window, uint64_t faults)
{
	window->faults += faults;
}

void sprof_window_charge(struct sprof_window *window, const struct sprof_times *times,
	struct sprof_profile_row *rows)
{
	sprof_times_add(&window->carried, times);
	hand_out_faults(window, rows);
	hand_out_carried(window, SPROF_TIME_RUNQ, NULL, queue_of(window), rows);
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		hand_out_carried(window, (enum sprof_time_class)i, takes[i], UINT64_MAX, rows);
	if (!window->carried.ns[SPROF_TIME_SYS])
		window->faults = 0;
	window->count = 0;
}

static void settle(struct sprof_window_given *given, uint64_t *carried, enum sprof_time_class class,
	struct sprof_profile_row *rows)
{
	if (!given->samples || *carried > TAIL_SAMPLES * given->ns / given->samples)
		return;
	rows[given->last_row].metrics.times.ns[class] += *carried;
	*carried = 0;
}

void sprof_window_settle(struct sprof_window *window, struct sprof_profile_row *rows)
{
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		settle(&window->given[i], &window->carried.ns[i], (enum sprof_time_class)i, rows);
}

struct sprof_times sprof_window_take_carried(struct sprof_window *window)
{
	struct sprof_times carried = window->carried;

	window->carried = (struct sprof_times){0};
	return carried;
}
