/*
 * A stop costs a thread two things: the time while it is stopped, which is not CPU time, and what
 * it runs in the kernel to stop and continue, which is measured beforehand. So a thread's CPU time
 * between stops, minus the latter, is its own. CPU times are exact here, because the thread is off
 * the CPU when they are read.
 *
 * Does not account for colder caches. For a thread that hardly runs between stops, the result
 * depends on the exact cost of a stop: then only a bound is known.
 */
#include "cmd/functions/window-times.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/numbers.h"

/* A stop's cost varies with the CPUs' sleep states, up to twice the measured value. A thread whose
 * own time is less than this factor times its stops' cost gets only a bound. */
static const double enough = 1.5;

/* The standard error of a stop's cost, relative to the measured value. */
static const double uncertain = 0.4;

void sprof_window_times_init(
	struct sprof_window_times *times, const struct sprof_trap_floor *floor, uint64_t enough_ns)
{
	*times = (struct sprof_window_times){.floor = *floor, .enough_ns = enough_ns, .weight = 1};
}

void sprof_window_times_open(struct sprof_window_times *times, uint64_t now_ns)
{
	times->is_open = true;
	times->number++;
	times->opened_ns = now_ns;
}

static uint64_t waiting(const struct sprof_trap_cost *cost)
{
	return sprof_minus(cost->gap_ns, cost->cpu_ns);
}

static const struct sprof_trap_cost *cost_of(
	const struct sprof_trap_floor *floor, const struct sprof_breakpoint_load *load)
{
	return load->is_elsewhere ? &floor->elsewhere : &floor->here;
}

static double ran_in_gap(
	const struct sprof_breakpoint_load *load, const struct sprof_trap_cost *cost)
{
	if (!load->cpu_ns)
		return fmax((double)load->gap_ns - (double)cost->gap_ns, 0);
	return (double)load->cpu_ns - (double)cost->cpu_ns;
}

/* A thread that got the CPU more than once has slept or was preempted. Run-queue time is left out:
 * the scheduler prefers a thread that was just stopped. */
static double own_of_gap(
	const struct sprof_breakpoint_load *load, const struct sprof_trap_cost *cost)
{
	const double rest = (double)load->gap_ns - (double)load->cpu_ns - (double)load->runq_ns -
		(double)waiting(cost);

	return ran_in_gap(load, cost) + (load->slices > 1 ? fmax(rest, 0) : 0);
}

/* How long the tracer took to notice the stop: the part of the gap without CPU time, minus the
 * usual time until the thread continues. */
static double latency(const struct sprof_breakpoint_load *load, const struct sprof_trap_cost *cost)
{
	const double usual = (double)waiting(cost) / 2;
	const double rest = (double)load->gap_ns - (double)load->cpu_ns;

	return load->slices == 1 ? fmax(rest - usual, 0) : usual;
}

/*
 * Its first stop of this window: it had the time since the window was opened. A window that ends
 * when the thread had enough is short: if it was queued, the tracer had its CPU, and if it had the
 * CPU more than once, it may have slept. In a longer window, other programs had the CPU: that time
 * is not taken by stops.
 */
static void enter(struct sprof_window_times *times, struct sprof_window_time *time,
	const struct sprof_breakpoint_load *load, uint64_t stopped_ns)
{
	const struct sprof_trap_cost *cost = cost_of(&times->floor, load);
	const uint64_t since = stopped_ns - times->opened_ns;
	const bool is_short = times->enough_ns != UINT64_MAX;
	const double queued = is_short && load->slices > 1 ? (double)load->runq_ns : 0;

	time->window = times->number;
	time->own_ns =
		fmax((double)since - latency(load, cost) - queued - (double)cost->cpu_ns / 2, 0);
	time->stopped_ns = 0;
}

bool sprof_window_times_stop(struct sprof_window_times *times, uint32_t thread,
	const struct sprof_breakpoint_load *load, uint64_t went_on_ns, bool *ret_counts)
{
	struct sprof_window_time *time;
	const struct sprof_trap_cost *cost;

	*ret_counts = false;
	if (!times->is_open)
		return true;
	if (!sprof_array_reserve(&times->items, &times->count, thread + 1, sizeof(*times->items)))
		return false;
	time = &times->items[thread];
	if (time->window != times->number) {
		enter(times, time, load, load->stopped_ns);
	} else if (time->seen_ns != load->stopped_ns) {
		cost = cost_of(&times->floor, load);
		time->own_ns += own_of_gap(load, cost);
		time->stopped_ns += (double)cost->cpu_ns;
		time->costs_ns += (double)cost->cpu_ns;
		time->ran_ns += ran_in_gap(load, cost);
	}
	if (!time->first_ns) {
		time->first_ns = load->stopped_ns;
		time->first_runq_ns = load->all_runq_ns;
	}
	time->runq_ns = load->all_runq_ns;
	time->seen_ns = load->stopped_ns;
	time->went_on_ns = went_on_ns;
	time->has_enough = time->own_ns >= (double)times->enough_ns;
	*ret_counts = !time->has_enough;
	return true;
}

/* Its own time in this window; since its last stop it has run until now. */
static double own_until(
	const struct sprof_window_time *time, const struct sprof_trap_cost *cost, uint64_t now_ns)
{
	const double since = (double)now_ns - (double)time->went_on_ns;

	return fmax(time->own_ns + fmax(since - (double)cost->gap_ns, 0), 0);
}

static void leave(struct sprof_window_time *time, double own, double all_ns, double weight)
{
	time->total_ns += weight * fmin(own, all_ns);
	time->most_ns += weight * fmin(own + time->stopped_ns, all_ns);
	time->all_ns += weight * all_ns;
}

uint64_t sprof_window_times_close(struct sprof_window_times *times, uint64_t now_ns)
{
	const uint64_t length_ns = sprof_minus(now_ns, times->opened_ns);
	const double all_ns = fmin((double)length_ns, (double)times->enough_ns);
	double least = (double)length_ns;

	times->is_open = false;
	for (size_t i = 0; i < times->count; i++) {
		struct sprof_window_time *time = &times->items[i];
		double own;

		if (time->window != times->number)
			continue;
		own = own_until(time, &times->floor.here, now_ns);
		leave(time, own, all_ns, times->weight);
		least = fmin(least, own);
	}
	times->all_ns += times->weight * all_ns;
	return length_ns - (uint64_t)least;
}

double sprof_window_times_own(
	const struct sprof_window_times *times, uint32_t thread, bool *ret_is_most)
{
	const struct sprof_window_time *time = thread < times->count ? &times->items[thread] : NULL;
	double rest;
	*ret_is_most =
		time && (!times->floor.here.gap_ns || time->ran_ns < enough * time->costs_ns);
	if (!time)
		return times->all_ns;
	rest = times->all_ns - time->all_ns;
	return rest + (*ret_is_most ? time->most_ns : time->total_ns);
}

double sprof_window_times_queued(const struct sprof_window_times *times, uint32_t thread)
{
	const struct sprof_window_time *time = thread < times->count ? &times->items[thread] : NULL;

	if (!time || time->seen_ns <= time->first_ns)
		return 0;
	return fmin((double)(time->runq_ns - time->first_runq_ns) /
			(double)(time->seen_ns - time->first_ns),
		1);
}

double sprof_window_times_error(const struct sprof_window_times *times, uint32_t thread)
{
	const struct sprof_window_time *time = thread < times->count ? &times->items[thread] : NULL;

	return time && time->ran_ns > 0 ? uncertain * time->costs_ns / time->ran_ns : 0;
}

void sprof_window_times_finish(struct sprof_window_times *times)
{
	free(times->items);
	*times = (struct sprof_window_times){0};
}
