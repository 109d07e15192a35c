/*
 * Opens and reads the timers of threads, and sets their periods and the size of their copies of the
 * stack. Copies are twice as large as the previous stops needed, until many records show how much
 * is enough. kernel.c decides which threads have a timer, and when a thread with one is still
 * stopped.
 */
#include "sampler/timer/kernel.h"

#include <assert.h>
#include <stdlib.h>

#include "attach/calls/number.h"
#include "base/clock.h"
#include "base/numbers.h"
#include "sampler/account/book.h"
#include "sampler/loop/schedule.h"
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

void sprof_timers_finish(struct kernel *kernel)
{
	assert(!kernel->open);
	free(kernel->scratch);
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

static void observe(struct kernel *kernel, struct sprof_thread *thread,
	const struct sprof_perf_timer_record *record)
{
	struct timed *timed = &thread->sampling->timed;
	const struct sprof_maps *maps = sprof_mappings_at(thread->process, record->time_ns);
	int64_t number = SPROF_CALL_NUMBER_NONE;
	struct sprof_snapshot snapshot = {
		.regs = record->user.regs,
		.stack = sprof_copy_by_kernel(maps, &record->user, timed->stack_size),
	};
	struct observation observation = {
		.thread = thread,
		.by = OBSERVED_BY_KERNEL,
		.time_ns = record->time_ns,
		.state = record->in_kernel ? SPROF_STATE_SYS : SPROF_STATE_USER,
		.cpu = (uint32_t)(record->cpu + 1),
		.snapshot = &snapshot,
		.kernel = record->kernel,
		.kernel_count = record->kernel_count,
	};

	/* In an exception or an interrupt it is in no system call. */
	if (record->in_kernel)
		number = sprof_call_places_find(
			&kernel->places, kernel->run, thread, &snapshot, maps);
	observation.call = sprof_call_at(&record->user.regs,
		number == SPROF_CALL_NUMBER_UNKNOWN ? SPROF_CALL_NUMBER_NONE : number);
	recorded(
		timed, sprof_book_observation(kernel->book, &observation), record->user.stack_size);
}

static void take_record(struct kernel *kernel, struct sprof_thread *thread,
	const struct sprof_perf_timer_record *record)
{
	struct sprof_quality *quality = kernel->run->quality;

	switch (record->kind) {
	case SPROF_PERF_TIMER_SAMPLE:
		sprof_cpu_set_add(&kernel->cpus, record->cpu);
		/* At the end of its process, a thread is in the kernel without memory. */
		if (record->in_kernel && !record->user.stack_size)
			quality->samples_lost++;
		else
			observe(kernel, thread, record);
		break;
	case SPROF_PERF_TIMER_LOST:
		quality->samples_lost += record->lost;
		break;
	case SPROF_PERF_TIMER_THROTTLED:
		quality->timers_throttled++;
		break;
	}
}

static bool take_next(struct kernel *kernel, const struct sprof_thread *thread, uint64_t until_ns,
	struct sprof_perf_timer_record *ret)
{
	return kernel->run->world->timer_take(
		thread->sampling->timed.timer, until_ns, kernel->scratch, ret);
}

void sprof_timers_take(struct kernel *kernel, struct sprof_thread *thread, uint64_t until_ns)
{
	struct sprof_process *process = thread->process;
	const bool is_former = process->former_maps.count;
	struct sprof_perf_timer_record record;
	bool is_kept, is_known = false;

	while (take_next(kernel, thread, is_former ? process->former_ns : until_ns, &record)) {
		is_kept = is_former || sprof_mappings_begin_record(process, &record);
		/* No look has seen its page faults since the last tick. */
		if (!is_kept && !is_known)
			sprof_mappings_doubt(&process->sampling->mappings);
		is_known = !is_kept;
		take_record(kernel, thread, &record);
	}
	sprof_mappings_end_record(process);
}

/* Records of a program from before an exec can't be named without its mappings. */
void sprof_timers_drop(struct kernel *kernel, struct sprof_thread *thread)
{
	struct sprof_perf_timer_record record;

	while (take_next(kernel, thread, UINT64_MAX, &record)) {
		if (record.kind != SPROF_PERF_TIMER_THROTTLED)
			kernel->run->quality->samples_lost +=
				record.kind == SPROF_PERF_TIMER_LOST ? record.lost : 1;
	}
}

static void forget(struct kernel *kernel, struct timed *timed, bool for_good)
{
	timed->timer = NULL;
	timed->is_open = false;
	timed->given_up |= for_good;
	kernel->open--;
}

void sprof_timers_close(struct kernel *kernel, struct sprof_thread *thread, bool for_good)
{
	const struct sprof_world *world = kernel->run->world;

	world->timer_close(thread->sampling->timed.timer);
	forget(kernel, &thread->sampling->timed, for_good);
}

/*
 * The frames of Go and Python threads are in several places. Counts each thread that had not given
 * up before.
 */
bool sprof_timers_are_unfit(const struct kernel *kernel, const struct sprof_thread *thread)
{
	const struct sampled_process *process = thread->process->sampling;
	struct timed *timed = &thread->sampling->timed;

	if (!process->mappings.go && !process->script)
		return false;
	kernel->run->quality->timers_unfit += !timed->given_up;
	timed->given_up = true;
	return true;
}

/* The next period. Evenly spread frequencies keep the mean rate. */
static uint64_t next_period(struct kernel *kernel)
{
	const double random = (double)(sprof_random(&kernel->random) >> 48) / RANDOM_STEPS;

	return (uint64_t)((double)kernel->run->tick.period_ns / (1 + SPREAD * (random - 0.5)));
}

/* Returns false if refused, or if out of memory, which is noticed elsewhere. */
static bool get_timer(struct kernel *kernel, struct sprof_thread *thread)
{
	const struct sprof_world *world = kernel->run->world;
	struct timed *timed = &thread->sampling->timed;
	const size_t spared = sprof_schedule_most_spared(kernel->run->tick.period_ns);
	struct sprof_perf_timer_plan plan = {
		.tid = thread->tid,
		.period_ns = next_period(kernel),
		.with_chains = kernel->run->options->kernel_stacks,
		.stack_size = timed->next_size ? timed->next_size : timed->stack_size,
	};
	struct sprof_perf_denial denial;

	/* The few stops before have hardly seen the deepest calls. */
	if (!plan.stack_size)
		plan.stack_size = sprof_most(2 * fitting(timed), FIRST_STACK);
	plan.stack_size = sprof_least(plan.stack_size, SPROF_PERF_TIMER_STACK_MAX);
	/*
	 * Room for the longest time between two looks, and half of it more. Rings are memory that
	 * the kernel can't swap, and nothing limits how much of it root may take.
	 */
	plan.records = sprof_least(spared + sprof_most(spared / 2, MORE_RECORDS) + FEW_RECORDS,
		RING_BYTES / (kernel->open + 1) / plan.stack_size);

	if (!kernel->scratch)
		kernel->scratch = malloc(SPROF_PERF_RECORD_MAX);
	if (!kernel->scratch)
		return false;
	if (!world->timer_open(&plan, &timed->timer, &denial)) {
		kernel->run->quality->timers_refused += denial.reason != SPROF_PERF_GONE;
		return false;
	}
	timed->stack_size = plan.stack_size;
	timed->next_size = 0;
	timed->room = plan.records;
	timed->period_ns = plan.period_ns;
	timed->paced_ns = kernel->run->tick.ns;
	timed->paced_records = 0;
	return true;
}

void sprof_timers_open(struct kernel *kernel, struct sprof_thread *thread)
{
	struct timed *timed = &thread->sampling->timed;

	if (kernel->open >= MOST_TIMERS || timed->given_up || timed->leads_away ||
		timed->needed > SPROF_PERF_TIMER_STACK_MAX || kernel->run->options->no_samples ||
		thread->process->denied || sprof_timers_are_unfit(kernel, thread))
		return;
	if (get_timer(kernel, thread)) {
		kernel->open++;
		return;
	}
	timed->timer = NULL;
	timed->given_up = true;
}

/* Locked memory may not be enough for both at once. */
void sprof_timers_replace(struct kernel *kernel, struct sprof_thread *thread)
{
	const struct sprof_world *world = kernel->run->world;

	sprof_timers_drop(kernel, thread);
	world->timer_close(thread->sampling->timed.timer);
	if (!get_timer(kernel, thread))
		forget(kernel, &thread->sampling->timed, true);
}

void sprof_timers_pace(struct kernel *kernel, const struct sprof_thread *thread)
{
	const struct sprof_world *world = kernel->run->world;
	struct timed *timed = &thread->sampling->timed;

	if (kernel->run->tick.ns < timed->paced_ns + PACE_NS || timed->paced_records < PACE_RECORDS)
		return;
	/*
	 * Each pace of that number of periods costs half of one more, which gives no record.
	 * Shorter periods make up for that.
	 */
	timed->period_ns = (uint64_t)((double)next_period(kernel) * timed->paced_records /
		(timed->paced_records + 0.5));
	world->timer_set_period(timed->timer, timed->period_ns);
	timed->paced_ns = kernel->run->tick.ns;
	timed->paced_records = 0;
}
