/*
 * Opens and reads the timers of threads, and paces them. Does not decide which threads have one, nor
 * when a thread is stopped all the same: kernel.c does. timed.c has the arithmetic.
 */
#include "sampler/timer/timers.h"

#include <assert.h>
#include <stdlib.h>

#include "attach/calls/number.h"
#include "base/clock.h"
#include "sampler/account/figures.h"
#include "sampler/loop/schedule.h"
#include "sampler/sampled.h"
#include "sampler/stack/mappings.h"

enum {
	MOST_TIMERS = 256,
	MORE_RECORDS = 3, /* the least room in a ring beyond the spared ticks */
	FEW_RECORDS = 2,  /* further room in a ring */
	RANDOM_STEPS = 1 << 16,
	MEMORY_NS = SPROF_NS_PER_S / 4, /* time that told_share is taken over */
	LEAST_MEMORY = 32,              /* at least that number of periods */
	PACE_RECORDS = 16,              /* a pace lasts for at least that number of records */
	PACE_NS = SPROF_NS_PER_S / 10,  /* and for at least that time */
	/* of all rings together, about; beyond it they hold less, and are read more often */
	RING_BYTES = 32 << 20,
};

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

/* The stack that the kernel has copied: from sp on, without the red zone. */
static void set_stack(const struct sprof_thread *thread, const struct sprof_perf_user *user,
	struct sprof_snapshot *snapshot)
{
	const uint64_t sp = user->regs.values[SPROF_REG_SP];
	const struct sprof_mapping *mapping = sprof_maps_find(&thread->process->maps, sp);
	const struct timed *timed = timed_of(thread);
	const bool is_full = user->stack_size >= timed->stack_size;
	const uint64_t end = mapping ? mapping->end : UINT64_MAX;

	snapshot->stack = (struct sprof_stack_copy){
		.base = sp,
		.size = user->stack_size,
		.bytes = user->stack,
		.floor = sp,
		.limit = is_full ? end : sp + user->stack_size,
	};
}

/* The system call of a thread in the kernel. In an exception or an interrupt it has none. */
static struct sprof_proc_syscall call_of(struct timers *timers, const struct sprof_thread *thread,
	const struct sprof_perf_timer_record *record)
{
	const struct sprof_regs *regs = &record->user.regs;
	struct sprof_proc_syscall call = {
		.kind = SPROF_PROC_SYSCALL_INSIDE,
		.number = SPROF_CALL_NUMBER_NONE,
		.sp = regs->values[SPROF_REG_SP],
		.pc = regs->values[SPROF_REG_PC],
	};

	if (record->in_kernel)
		call.number = sprof_call_places_find(&timers->places, timers->run, thread, regs);
	sprof_regs_arguments(regs, call.arguments);
	return call;
}

/* With a larger copy, the stack might be whole. */
static bool is_too_small(
	const struct sprof_thread *thread, const struct sprof_perf_timer_record *record)
{
	const struct sampled_process *process = thread->process->sampling;

	return !process->mappings.was_replaced &&
		record->user.stack_size >= timed_of(thread)->stack_size;
}

/*
 * The stop that replaces this record, and perhaps many more, has to find room for the whole stack.
 */
static void note_cut(struct sprof_thread *thread, const struct sprof_perf_timer_record *record)
{
	const bool was_full = is_too_small(thread, record);
	struct sampled *sampled = thread->sampling;

	if (was_full)
		sprof_copy_plan_expect_deep(&sampled->copy);
	sprof_timed_was_cut(&sampled->timed, was_full);
}

static void observe(struct timers *timers, struct sprof_thread *thread,
	const struct sprof_perf_timer_record *record, const struct sprof_proc_syscall *call)
{
	const struct source_listener *listener = timers->listener;
	struct timed *timed = timed_of(thread);
	struct sprof_snapshot snapshot = {.regs = record->user.regs};
	struct observation observation = {
		.thread = thread,
		.by = OBSERVED_BY_KERNEL,
		.time_ns = record->time_ns,
		.times = 1,
		.state = record->in_kernel ? SPROF_STATE_SYS : SPROF_STATE_USER,
		.cpu = (uint32_t)(record->cpu + 1),
		.snapshot = &snapshot,
		.call = *call,
		.kernel = record->kernel,
		.kernel_count = record->kernel_count,
	};

	set_stack(thread, &record->user, &snapshot);
	sprof_timed_recorded(timed, timers->tick_ns, record->time_ns);
	if (listener->observed(listener->data, &observation))
		sprof_timed_met_whole(timed);
	else
		note_cut(thread, record);
}

/* At the end of its process, a thread is in the kernel without memory. */
static bool has_left_memory(const struct sprof_perf_timer_record *record)
{
	return record->in_kernel && !record->user.stack_size;
}

static void take_sample(struct timers *timers, struct sprof_thread *thread,
	const struct sprof_perf_timer_record *record)
{
	struct sprof_proc_syscall call;

	sprof_cpu_set_add(&timers->cpus, record->cpu);
	if (has_left_memory(record)) {
		timers->listener->lost(timers->listener->data, 1);
		return;
	}
	call = call_of(timers, thread, record);
	if (call.number == SPROF_CALL_NUMBER_UNKNOWN)
		sprof_timed_untold(timed_of(thread), timers->tick_ns, record->time_ns);
	else
		observe(timers, thread, record, &call);
}

static void take_record(struct timers *timers, struct sprof_thread *thread,
	const struct sprof_perf_timer_record *record)
{
	switch (record->kind) {
	case SPROF_PERF_TIMER_SAMPLE:
		take_sample(timers, thread, record);
		break;
	case SPROF_PERF_TIMER_LOST:
		timers->listener->lost(timers->listener->data, record->lost);
		break;
	case SPROF_PERF_TIMER_THROTTLED:
		timers->run->quality->timers_throttled++;
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
	struct sprof_process *process = thread->process;
	struct sprof_perf_timer_record record;

	sprof_mappings_begin_former(process);
	while (take_next(timers, thread, process->former_ns, &record))
		take_record(timers, thread, &record);
	sprof_mappings_end_former(process);
}

/* Records of a program from before an exec can't be named without its mappings. */
void sprof_timers_drop(struct timers *timers, struct sprof_thread *thread)
{
	struct sprof_perf_timer_record record;

	while (take_next(timers, thread, UINT64_MAX, &record)) {
		if (record.kind != SPROF_PERF_TIMER_THROTTLED)
			timers->listener->lost(timers->listener->data,
				record.kind == SPROF_PERF_TIMER_LOST ? record.lost : 1);
	}
}

/*
 * Until when records cover the thread; 0: they don't. A thread that slept at the last look has none
 * of its sleep.
 */
static uint64_t told_until(const struct timers *timers, const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	if (sampled->sleep.active || !sprof_timed_is_open(&sampled->timed))
		return 0;
	return now_of(timers->run);
}

static void forget(struct timers *timers, struct sprof_thread *thread, bool for_good)
{
	struct timed *timed = timed_of(thread);

	if (timed->cut)
		timers->listener->lost(timers->listener->data, timed->cut);
	sprof_timed_closed(timed, told_until(timers, thread), for_good);
	timers->open--;
}

void sprof_timers_close(struct timers *timers, struct sprof_thread *thread, bool for_good)
{
	const struct sprof_world *world = timers->run->world;

	world->timer_close(world->data, timed_of(thread)->timer);
	forget(timers, thread, for_good);
}

/* The frames of Go and Python threads are in several places. Counts each thread once. */
bool sprof_timers_are_unfit(const struct timers *timers, const struct sprof_thread *thread)
{
	const struct sampled_process *process = thread->process->sampling;
	struct timed *timed = timed_of(thread);

	if (!process->mappings.go && !process->script)
		return false;
	timers->run->quality->timers_unfit += !timed->is_unfit;
	timed->is_unfit = true;
	return true;
}

static bool may_open(const struct timers *timers, const struct sprof_thread *thread)
{
	const struct sprof_sampler_options *options = timers->run->options;

	return timers->open < MOST_TIMERS && !timed_of(thread)->given_up && !options->no_samples &&
		!thread->process->denied && !sprof_timers_are_unfit(timers, thread);
}

/* xorshift64*, Vigna 2016. From 0 to 1. */
static double next_random(struct timers *timers)
{
	timers->random ^= timers->random >> 12;
	timers->random ^= timers->random << 25;
	timers->random ^= timers->random >> 27;
	return (double)(timers->random * 0x2545f4914f6cdd1du >> 48) / RANDOM_STEPS;
}

/* The next period, in periods of the ticks. Evenly spread frequencies keep the mean rate. */
static double next_weight(struct timers *timers)
{
	return 1 / (1 + SPREAD * (next_random(timers) - 0.5));
}

/*
 * The part of the time that gives records: each pace of that number of periods costs half of one
 * more. Shorter periods make up for that.
 */
static double share_of_whole_periods(uint32_t records)
{
	return records / (records + 0.5);
}

/* Asks for records of the kernel's code, too, if that is permitted. */
static bool ask_for_timer(struct timers *timers, struct sprof_perf_timer_plan *plan,
	struct sprof_perf_timer **ret, struct sprof_perf_denial *ret_denial)
{
	const struct sprof_world *world = timers->run->world;

	plan->with_kernel = !timers->lacks_kernel;
	plan->with_chains = plan->with_kernel && timers->run->options->kernel_stacks;
	if (world->timer_open(world->data, plan, ret, ret_denial))
		return true;
	if (!plan->with_kernel || ret_denial->reason != SPROF_PERF_PARANOID)
		return false;
	plan->with_kernel = plan->with_chains = false;
	if (!world->timer_open(world->data, plan, ret, ret_denial))
		return false;
	timers->lacks_kernel = true;
	return true;
}

/*
 * Room for the longest time between two looks, and half of it more. Rings are memory that the
 * kernel can't swap, and nothing limits how much of it root may take.
 */
static size_t records_for(const struct timers *timers, size_t stack_size)
{
	const size_t spared = sprof_schedule_most_spared(timers->period_ns);
	const size_t more = spared / 2 > MORE_RECORDS ? spared / 2 : MORE_RECORDS;
	const size_t wanted = spared + more + FEW_RECORDS;
	const size_t most = RING_BYTES / (timers->open + 1) / stack_size;

	return wanted < most ? wanted : most;
}

/* Returns NULL if refused, or if out of memory, which is noticed elsewhere. */
static struct sprof_perf_timer *open_timer(
	struct timers *timers, struct sprof_thread *thread, double weight)
{
	const size_t stack_size = sprof_timed_stack_size(timed_of(thread));
	struct sprof_perf_timer_plan plan = {
		.tid = thread->tid,
		.period_ns = (uint64_t)((double)timers->period_ns * weight),
		.stack_size = stack_size,
		.records = records_for(timers, stack_size),
	};
	struct sprof_perf_denial denial;
	struct sprof_perf_timer *timer;

	if (!timers->scratch)
		timers->scratch = malloc(SPROF_PERF_RECORD_MAX);
	if (!timers->scratch)
		return NULL;
	if (ask_for_timer(timers, &plan, &timer, &denial)) {
		sprof_timed_has_kernel(timed_of(thread), plan.with_kernel);
		sprof_timed_has_room(timed_of(thread), plan.records);
		return timer;
	}
	if (denial.reason != SPROF_PERF_GONE)
		timers->run->quality->timers_refused++;
	return NULL;
}

/* The kernel adds up a running thread's CPU time at its own ticks only, several ms late. */
static double memory(const struct timers *timers)
{
	const double periods = (double)MEMORY_NS / (double)timers->period_ns;

	return periods > LEAST_MEMORY ? periods : LEAST_MEMORY;
}

/* This tick and those before have no records: the thread is stopped in this one. */
void sprof_timers_open(struct timers *timers, struct sprof_thread *thread)
{
	const struct sprof_world *world = timers->run->world;
	const double weight = next_weight(timers);
	struct sprof_proc_schedstat now;
	struct sprof_perf_timer *timer;

	if (!may_open(timers, thread) || !world->read_schedstat(world->data, thread, &now))
		return;
	timer = open_timer(timers, thread, weight);
	if (!timer) {
		sprof_timed_closed(timed_of(thread), 0, true);
		return;
	}
	timers->open++;
	sprof_timed_opened(timed_of(thread), timer, timers->tick_ns, now.cpu_ns, memory(timers));
	sprof_timed_began(timed_of(thread), now.timeslices, sprof_figures_switches(world, thread),
		now.runq_ns);
	sprof_timed_paced(timed_of(thread), timers->tick_ns, timers->period_ns, weight);
}

/*
 * Replaces the timer by one with copies of another size, if that is possible. Locked memory may not
 * be enough for both at once.
 */
void sprof_timers_replace(struct timers *timers, struct sprof_thread *thread)
{
	const struct sprof_world *world = timers->run->world;
	const double weight = next_weight(timers);
	struct sprof_perf_timer *timer;

	sprof_timers_drop(timers, thread);
	world->timer_close(world->data, timed_of(thread)->timer);
	timer = open_timer(timers, thread, weight);
	if (!timer) {
		forget(timers, thread, true);
		return;
	}
	sprof_timed_replaced(timed_of(thread), timer);
	sprof_timed_paced(timed_of(thread), timers->tick_ns, timers->period_ns, weight);
}

void sprof_timers_pace(struct timers *timers, const struct sprof_thread *thread)
{
	const struct sprof_world *world = timers->run->world;
	const uint64_t tick_ns = timers->tick_ns, period_ns = timers->period_ns;
	struct timed *timed = timed_of(thread);
	double weight;

	if (tick_ns < timed->paced_ns + PACE_NS || timed->paced_records < PACE_RECORDS)
		return;
	weight = next_weight(timers) * share_of_whole_periods(timed->paced_records);
	world->timer_set_period(world->data, timed->timer, (uint64_t)((double)period_ns * weight));
	sprof_timed_paced(timed, tick_ns, period_ns, weight);
}
