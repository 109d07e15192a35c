/*
 * Opens and reads the timers of threads, and sets their periods and the size of their copies of the
 * stack. Copies are as large as the previous stops needed. kernel.c decides which threads have a
 * timer, and when a thread with one is still stopped.
 */
#include "sampler/timer/timers.h"

#include <assert.h>
#include <stdlib.h>

#include "attach/calls/number.h"
#include "base/clock.h"
#include "base/numbers.h"
#include "sampler/account/book.h"
#include "sampler/loop/schedule.h"
#include "sampler/sampled.h"
#include "sampler/stack/copy.h"
#include "sampler/stack/mappings.h"

enum {
	MOST_TIMERS = 256,
	MORE_RECORDS = 3, /* the least room in a ring beyond the spared ticks */
	FEW_RECORDS = 2,  /* further room in a ring */
	RANDOM_STEPS = 1 << 16,
	PACE_RECORDS = 16,             /* a period is kept for at least this number of records */
	PACE_NS = SPROF_NS_PER_S / 10, /* and for at least this time */
	/* of all rings together, about; beyond it they hold less, and are read more often */
	RING_BYTES = 32 << 20,
	FIRST_STACK = 8 * 1024,
	LEAST_STACK = 1024,
	STACK_STEP = 256,
	/* whole stacks that show how much is needed */
	ENOUGH_STACKS = 24,
};

static const double CUT_SHARE = 1.0 / 64; /* weight of a record in the mean */

/*
 * A timer whose period varies can't lock to a period of the target: each pace begins at another
 * moment, and mostly drifts over that period. A new pace costs half of a period.
 */
static const double SPREAD = 0.2;

static struct timed *timed_of(const struct sprof_thread *thread)
{
	struct sampled *sampled = thread->sampling;

	return &sampled->timed;
}

void sprof_timers_finish(struct timers *timers)
{
	assert(!timers->open);
	free(timers->scratch);
}

/* In an exception or an interrupt it is in no system call. */
static struct sprof_proc_syscall call_of(struct timers *timers, const struct sprof_thread *thread,
	const struct sprof_perf_timer_record *record)
{
	const struct sprof_regs *regs = &record->user.regs;
	int64_t number = SPROF_CALL_NUMBER_NONE;

	if (record->in_kernel)
		number = sprof_call_places_find(&timers->places, timers->run, thread, regs);
	return sprof_call_at(
		regs, number == SPROF_CALL_NUMBER_UNKNOWN ? SPROF_CALL_NUMBER_NONE : number);
}

/* Leaves room for somewhat deeper calls. The copy is most of what a record costs the thread. */
static size_t fitting(const struct timed *timed)
{
	const size_t size = timed->needed + timed->needed / 8 + STACK_STEP;

	return sprof_most(size / STACK_STEP * STACK_STEP, LEAST_STACK);
}

/*
 * It has made a record. With a larger copy, the stack might be whole. Copies become smaller when
 * many stacks have needed less, but not again once they were too small.
 */
static void recorded(struct timed *timed, enum sprof_end end, size_t stack_size)
{
	const bool is_cut = end == SPROF_END_STACK_COPY || end == SPROF_END_BAD_MEMORY;

	timed->leads_away |= end == SPROF_END_BAD_MEMORY;
	timed->is_open = true;
	timed->paced_records++;
	if (end == SPROF_END_STACK_COPY && stack_size >= timed->stack_size &&
		timed->stack_size < SPROF_PERF_TIMER_STACK_MAX) {
		timed->whole = ENOUGH_STACKS;
		timed->next_size = SPROF_PERF_TIMER_STACK_MAX;
		return;
	}
	timed->cut_share += (is_cut - timed->cut_share) * CUT_SHARE;
	if (!is_cut && timed->whole < ENOUGH_STACKS && ++timed->whole == ENOUGH_STACKS &&
		timed->needed && fitting(timed) <= timed->stack_size - timed->stack_size / 4)
		timed->next_size = fitting(timed);
}

static void observe(struct timers *timers, struct sprof_thread *thread,
	const struct sprof_perf_timer_record *record)
{
	struct timed *timed = timed_of(thread);
	struct sprof_snapshot snapshot = {
		.regs = record->user.regs,
		.stack = sprof_copy_by_kernel(sprof_mappings_at(thread->process, record->time_ns),
			&record->user, timed->stack_size),
	};
	const struct observation observation = {
		.thread = thread,
		.by = OBSERVED_BY_KERNEL,
		.time_ns = record->time_ns,
		.state = record->in_kernel ? SPROF_STATE_SYS : SPROF_STATE_USER,
		.cpu = (uint32_t)(record->cpu + 1),
		.snapshot = &snapshot,
		.call = call_of(timers, thread, record),
		.kernel = record->kernel,
		.kernel_count = record->kernel_count,
	};

	recorded(
		timed, sprof_book_observation(timers->book, &observation), record->user.stack_size);
}

/* At the end of its process, a thread is in the kernel without memory. */
static bool has_left_memory(const struct sprof_perf_timer_record *record)
{
	return record->in_kernel && !record->user.stack_size;
}

static void take_record(struct timers *timers, struct sprof_thread *thread,
	const struct sprof_perf_timer_record *record)
{
	struct sprof_quality *quality = timers->run->quality;

	switch (record->kind) {
	case SPROF_PERF_TIMER_SAMPLE:
		sprof_cpu_set_add(&timers->cpus, record->cpu);
		if (has_left_memory(record))
			quality->samples_lost++;
		else
			observe(timers, thread, record);
		break;
	case SPROF_PERF_TIMER_LOST:
		quality->samples_lost += record->lost;
		break;
	case SPROF_PERF_TIMER_THROTTLED:
		quality->timers_throttled++;
		break;
	}
}

static bool take_next(struct timers *timers, const struct sprof_thread *thread, uint64_t until_ns,
	struct sprof_perf_timer_record *ret)
{
	const struct sprof_world *world = timers->run->world;

	return world->timer_take(
		world->data, timed_of(thread)->timer, until_ns, timers->scratch, ret);
}

void sprof_timers_take(struct timers *timers, struct sprof_thread *thread, uint64_t until_ns)
{
	struct sampled_process *process = thread->process->sampling;
	struct sprof_perf_timer_record record;
	bool is_kept, is_known = false;

	while (take_next(timers, thread, until_ns, &record)) {
		is_kept = sprof_mappings_begin_record(thread->process, &record);
		/* No look has seen its page faults since the last tick. */
		if (!is_kept && !is_known)
			sprof_mappings_doubt(&process->mappings);
		is_known = !is_kept;
		take_record(timers, thread, &record);
	}
	sprof_mappings_end_record(thread->process);
}

void sprof_timers_take_former(struct timers *timers, struct sprof_thread *thread)
{
	struct sprof_perf_timer_record record;

	while (take_next(timers, thread, thread->process->former_ns, &record))
		take_record(timers, thread, &record);
}

/* Records of a program from before an exec can't be named without its mappings. */
void sprof_timers_drop(struct timers *timers, struct sprof_thread *thread)
{
	struct sprof_perf_timer_record record;

	while (take_next(timers, thread, UINT64_MAX, &record)) {
		if (record.kind != SPROF_PERF_TIMER_THROTTLED)
			timers->run->quality->samples_lost +=
				record.kind == SPROF_PERF_TIMER_LOST ? record.lost : 1;
	}
}

static void forget(struct timers *timers, struct timed *timed, bool for_good)
{
	timed->timer = NULL;
	timed->is_open = false;
	timed->given_up |= for_good;
	timers->open--;
}

void sprof_timers_close(struct timers *timers, struct sprof_thread *thread, bool for_good)
{
	const struct sprof_world *world = timers->run->world;

	world->timer_close(world->data, timed_of(thread)->timer);
	forget(timers, timed_of(thread), for_good);
}

/*
 * The frames of Go and Python threads are in several places. Counts each thread that had not given
 * up before.
 */
bool sprof_timers_are_unfit(const struct timers *timers, const struct sprof_thread *thread)
{
	const struct sampled_process *process = thread->process->sampling;
	struct timed *timed = timed_of(thread);

	if (!process->mappings.go && !process->script)
		return false;
	timers->run->quality->timers_unfit += !timed->given_up;
	timed->given_up = true;
	return true;
}

static bool may_open(const struct timers *timers, const struct sprof_thread *thread)
{
	const struct timed *timed = timed_of(thread);

	return timers->open < MOST_TIMERS && !timed->given_up && !timed->leads_away &&
		timed->needed <= SPROF_PERF_TIMER_STACK_MAX && !timers->run->options->no_samples &&
		!thread->process->denied && !sprof_timers_are_unfit(timers, thread);
}

/* The next period. Evenly spread frequencies keep the mean rate. */
static uint64_t next_period(struct timers *timers)
{
	const double random = (double)(sprof_random(&timers->random) >> 48) / RANDOM_STEPS;

	return (uint64_t)((double)timers->period_ns / (1 + SPREAD * (random - 0.5)));
}

/*
 * The part of the time that gives records: each pace of that number of periods costs half of one
 * more. Shorter periods make up for that.
 */
static double share_of_whole_periods(uint32_t records)
{
	return records / (records + 0.5);
}

/*
 * Room for the longest time between two looks, and half of it more. Rings are memory that the
 * kernel can't swap, and nothing limits how much of it root may take.
 */
static size_t records_for(const struct timers *timers, size_t stack_size)
{
	const size_t spared = sprof_schedule_most_spared(timers->period_ns);
	const size_t wanted = spared + sprof_most(spared / 2, MORE_RECORDS) + FEW_RECORDS;
	const size_t most = RING_BYTES / (timers->open + 1) / stack_size;

	return sprof_least(wanted, most);
}

static size_t next_size(const struct timed *timed)
{
	size_t size = timed->next_size ? timed->next_size : timed->stack_size;

	if (!size)
		size = sprof_most(fitting(timed), FIRST_STACK);
	return sprof_least(size, SPROF_PERF_TIMER_STACK_MAX);
}

/* It has a new period from now on. */
static void begin_pace(const struct timers *timers, struct timed *timed, uint64_t period_ns)
{
	timed->period_ns = period_ns;
	timed->paced_ns = timers->tick_ns;
	timed->paced_records = 0;
}

/* Returns false if refused, or if out of memory, which is noticed elsewhere. */
static bool get_timer(struct timers *timers, struct sprof_thread *thread)
{
	const struct sprof_world *world = timers->run->world;
	struct timed *timed = timed_of(thread);
	const size_t stack_size = next_size(timed);
	struct sprof_perf_timer_plan plan = {
		.tid = thread->tid,
		.period_ns = next_period(timers),
		.with_chains = timers->run->options->kernel_stacks,
		.stack_size = stack_size,
		.records = records_for(timers, stack_size),
	};
	struct sprof_perf_denial denial;

	if (!timers->scratch)
		timers->scratch = malloc(SPROF_PERF_RECORD_MAX);
	if (!timers->scratch)
		return false;
	if (!world->timer_open(world->data, &plan, &timed->timer, &denial)) {
		timers->run->quality->timers_refused += denial.reason != SPROF_PERF_GONE;
		return false;
	}
	timed->stack_size = stack_size;
	timed->next_size = 0;
	timed->room = plan.records;
	begin_pace(timers, timed, plan.period_ns);
	return true;
}

void sprof_timers_open(struct timers *timers, struct sprof_thread *thread)
{
	struct timed *timed = timed_of(thread);

	if (!may_open(timers, thread))
		return;
	if (get_timer(timers, thread)) {
		timers->open++;
		return;
	}
	timed->timer = NULL;
	timed->given_up = true;
}

/* Locked memory may not be enough for both at once. */
void sprof_timers_replace(struct timers *timers, struct sprof_thread *thread)
{
	const struct sprof_world *world = timers->run->world;

	sprof_timers_drop(timers, thread);
	world->timer_close(world->data, timed_of(thread)->timer);
	if (!get_timer(timers, thread))
		forget(timers, timed_of(thread), true);
}

void sprof_timers_pace(struct timers *timers, const struct sprof_thread *thread)
{
	const struct sprof_world *world = timers->run->world;
	struct timed *timed = timed_of(thread);
	uint64_t period_ns;

	if (timers->tick_ns < timed->paced_ns + PACE_NS || timed->paced_records < PACE_RECORDS)
		return;
	period_ns = (uint64_t)((double)next_period(timers) *
		share_of_whole_periods(timed->paced_records));
	world->timer_set_period(world->data, timed->timer, period_ns);
	begin_pace(timers, timed, period_ns);
}
