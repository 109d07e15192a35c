/*
 * The pure part of time accounting: distributes the kernel's time over samples.
 *
 * A class's time goes only to samples in a state of that class, so a sleeping function is never
 * charged with CPU time. Exception: page faults take system time, but their stops find the thread
 * in user code. The run-queue time after a sleep is not handled here (struct sprof_sink). Shares
 * are differences of a rounded running sum: each is within a nanosecond of even, and their sum is
 * exact.
 */
#include "profile/model/window.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/answer/faults.h"

enum {
	/* Samples fall at random: 19 of 20 gaps are at most this many times as long as the mean gap. */
	TAIL_SAMPLES = 3,
	/* standard errors, that chance does not explain: one in a thousand windows */
	SURE = 3,
};

/* Which samples time goes to. */
struct takers {
	bool states[SPROF_STATE_COUNT];
	bool queued;
};

/* A runnable thread accrues runq and stolen time in any state. */
static const struct takers takes[SPROF_TIME_COUNT] = {
	[SPROF_TIME_USER] = {.states = {[SPROF_STATE_USER] = true}},
	[SPROF_TIME_SYS] = {.states = {[SPROF_STATE_SYS] = true}},
	[SPROF_TIME_RUNQ] = {.states = {[SPROF_STATE_USER] = true, [SPROF_STATE_SYS] = true}},
	[SPROF_TIME_SLEEP] = {.states = {[SPROF_STATE_SLEEP] = true}},
	[SPROF_TIME_DISK] = {.states = {[SPROF_STATE_DISK] = true}},
	[SPROF_TIME_STOPPED] = {.states = {[SPROF_STATE_STOPPED] = true}},
	[SPROF_TIME_STOLEN] = {.states = {[SPROF_STATE_USER] = true, [SPROF_STATE_SYS] = true}},
};

/* If no sample shows the thread running: where it was preempted, as far as known. */
static const struct takers takes_queued = {
	.states = {[SPROF_STATE_USER] = true, [SPROF_STATE_SYS] = true},
	.queued = true,
};

void sprof_window_finish(struct sprof_window *window)
{
	free(window->runs);
	*window = (struct sprof_window){0};
}

static bool add(struct sprof_window *window, const struct sprof_window_run *more)
{
	struct sprof_window_run *last = window->count ? &window->runs[window->count - 1] : NULL;

	assert(more->state < SPROF_STATE_COUNT);
	if (last && last->row == more->row && last->state == more->state &&
		last->is_queued == more->is_queued && last->count < UINT32_MAX - more->count) {
		last->count += more->count;
		last->weight += more->weight;
		return true;
	}
	if (!sprof_array_reserve(
		    &window->runs, &window->capacity, window->count + 1, sizeof(*window->runs)))
		return false;
	window->runs[window->count++] = *more;
	return true;
}

bool sprof_window_add(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint32_t count)
{
	return add(window,
		&(struct sprof_window_run){
			.row = row, .count = count, .weight = count, .state = state});
}

bool sprof_window_add_queued(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint32_t count)
{
	return add(window,
		&(struct sprof_window_run){.row = row,
			.count = count,
			.weight = count,
			.state = state,
			.is_queued = true});
}

bool sprof_window_add_wait(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint64_t ns)
{
	return add(window,
		&(struct sprof_window_run){.row = row, .count = 1, .weight = ns, .state = state});
}

/* Does not affect waits of known length (add_wait). */
void sprof_window_take_back(
	struct sprof_window *window, uint32_t row, enum sprof_state state, uint32_t count)
{
	for (size_t i = window->count; i-- && count;) {
		struct sprof_window_run *run = &window->runs[i];
		uint32_t part = run->count < count ? run->count : count;

		if (run->row != row || run->state != state || run->weight != run->count)
			continue;
		run->count -= part;
		run->weight -= part;
		count -= part;
	}
}

static bool is_taker(const struct sprof_window_run *run, const struct takers *takers)
{
	return takers->states[run->state] && takers->queued == run->is_queued;
}

/* Distributes ns of the class over those samples. Returns false if the window has none. */
static bool hand_out(struct sprof_window *window, enum sprof_time_class class,
	const struct takers *takers, uint64_t ns, struct sprof_profile_row *rows)
{
	uint64_t samples = 0, weight = 0, seen = 0, given = 0;

	for (size_t i = 0; i < window->count; i++) {
		if (!is_taker(&window->runs[i], takers))
			continue;
		samples += window->runs[i].count;
		weight += window->runs[i].weight;
	}
	if (!weight)
		return false;
	for (size_t i = 0; i < window->count; i++) {
		const struct sprof_window_run *run = &window->runs[i];
		uint64_t until;

		if (!is_taker(run, takers))
			continue;
		seen += run->weight;
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

static uint64_t samples_of(const struct sprof_window *window, enum sprof_state state)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < window->count; i++) {
		const struct sprof_window_run *run = &window->runs[i];

		samples += run->state == state && !run->is_queued ? run->count : 0;
	}
	return samples;
}

/*
 * The system time that samples in system calls don't explain: a page fault interrupts user code,
 * where a stop then finds the thread. Each sample represents the same CPU time.
 */
static uint64_t outside_calls(
	const struct sprof_window *window, uint64_t user_ns, uint64_t system_ns)
{
	const double in_calls = (double)samples_of(window, SPROF_STATE_SYS);
	const double all = in_calls + (double)samples_of(window, SPROF_STATE_USER);
	const double cpu_ns = (double)user_ns + (double)system_ns;
	double share, expected;

	if (!system_ns || in_calls == all)
		return 0;
	share = (double)system_ns / cpu_ns;
	expected = all * share;
	if (in_calls + SURE * sqrt(expected * (1 - share)) + 1 >= expected)
		return 0;
	return system_ns - (uint64_t)(in_calls / all * cpu_ns);
}

/* Distributes carried time of a class as far as possible. */
static void hand_out_carried(struct sprof_window *window, enum sprof_time_class class,
	const struct takers *takers, struct sprof_profile_row *rows)
{
	uint64_t *ns = &window->carried.ns[class];

	if (*ns && hand_out(window, class, takers, *ns, rows))
		*ns = 0;
}

static void hand_out_faults(struct sprof_window *window, struct sprof_profile_row *rows)
{
	uint64_t *carried = window->carried.ns;
	uint64_t ns = outside_calls(window, carried[SPROF_TIME_USER], carried[SPROF_TIME_SYS]);

	/* A call that mostly sleeps has few samples as running, too. */
	if (ns / SPROF_MOST_FAULT_NS >= window->faults)
		ns = window->faults * SPROF_MOST_FAULT_NS;
	if (!ns || !hand_out(window, SPROF_TIME_SYS, &takes[SPROF_TIME_USER], ns, rows))
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
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		window->carried.ns[i] += times->ns[i];
	hand_out_faults(window, rows);
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		hand_out_carried(window, (enum sprof_time_class)i, &takes[i], rows);
	hand_out_carried(window, SPROF_TIME_RUNQ, &takes_queued, rows);
	hand_out_carried(window, SPROF_TIME_STOLEN, &takes_queued, rows);
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
