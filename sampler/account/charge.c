/*
 * Decides when a thread's time is charged: its figures must be exact, and worth reading. account.c
 * gives their meaning. Does not handle samples.
 */
#include "sampler/account/book.h"

#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"

enum {
	WINDOW_NS = SPROF_NS_PER_S,
	CPUS_NS = 10 * SPROF_NS_PER_MS, /* the machine's figures are in ticks of that length */
};

const struct sprof_proc_cpus *sprof_charge_cpus(struct book *book)
{
	const struct run *run = book->run;
	const uint64_t now = now_of(run), age_ns = run->tick.closing ? CPUS_NS : WINDOW_NS / 2;

	if (!book->cpus_ns || now >= book->cpus_ns + age_ns) {
		book->cpus_ns = now;
		book->cpus = run->world->read_cpus();
	}
	return &book->cpus;
}

/* Hands over only the times that the mode counts. */
static void hand_over(
	struct run *run, const struct sprof_thread *thread, struct sprof_charge charge)
{
	for (int i = 0; i < SPROF_TIME_COUNT; i++) {
		if (!sprof_mode_counts(run->options->mode, (enum sprof_time_class)i))
			charge.times.ns[i] = 0;
	}
	if (!run->sink->charge(run->sink->data, thread->id, &charge))
		run->out_of_memory = true;
}

/*
 * Recorded switches show when the thread was on no CPU. If it is in a stop of ours, the present
 * interval is none of its waits.
 */
static void add_off(const struct sprof_thread *thread, struct sprof_figures *now)
{
	struct switching *switching = thread->sampling->switching;

	if (switching)
		now->off = sprof_switching_off_by(
			switching, thread, now->is_stopping ? 0 : now->time_ns);
}

/* Leaves what was counted since the first figures. */
static void subtract_first(const struct sampled *sampled, struct sprof_thread_facts *facts)
{
	for (int i = 0; i < SPROF_COUNTER_COUNT; i++)
		facts->counters[i] = sprof_minus(facts->counters[i], sampled->first[i]);
}

/* While sampling is off, `first` has what was counted while it was on. */
static void swap_first(struct sampled *sampled, struct sprof_thread_facts *facts)
{
	subtract_first(sampled, facts);
	memcpy(sampled->first, facts->counters, sizeof(sampled->first));
}

/* The counters that are no times. */
static void hand_facts(
	struct run *run, const struct sprof_thread *thread, const struct sprof_thread_facts *facts)
{
	const struct sampled *sampled = thread->sampling;
	struct sprof_thread_facts own = *facts;

	subtract_first(sampled, &own);
	if (sampled->switching) {
		const struct switching_totals totals =
			sprof_switching_own(sampled->switching, now_of(run));

		own.has_waits = true;
		own.waits = totals.waits;
		own.wait_ns = totals.wait_ns;
		own.longest_wait_ns = totals.longest_ns;
		own.preemptions = totals.preemptions;
		own.preempted_ns = totals.preempted_ns;
	}
	if (run->sink->facts && !run->sink->facts(run->sink->data, thread->id, &own))
		run->out_of_memory = true;
}

static void charge(
	struct book *book, struct sprof_thread *thread, const struct reading *reading, bool last)
{
	struct sampled *sampled = thread->sampling;
	struct sprof_figures now = reading->figures;
	struct sprof_charge charge = {.last = last};

	now.cpus = *sprof_charge_cpus(book);
	add_off(thread, &now);
	charge.faults = sprof_minus(now.faults, sampled->account.last.faults);
	charge.times = sprof_account_advance(
		&sampled->account, &now, last || book->run->tick.closing || sampled->has_ended);
	sampled->stood_ns -= now.stood_ns;
	hand_over(book->run, thread, charge);
	hand_facts(book->run, thread, &reading->facts);
}

bool sprof_charge_is_due(const struct book *book, const struct sampled *sampled, uint64_t now_ns)
{
	return book->run->tick.closing || now_ns >= sampled->account.last.time_ns + WINDOW_NS;
}

bool sprof_charge_window(
	struct book *book, struct sprof_thread *thread, const struct reading *reading)
{
	struct sampled *sampled = thread->sampling;
	const bool has_others = thread->tid == thread->process->pid && thread->process->threads > 1;
	struct reading now;

	/*
	 * The figures of a thread that has slept since the last charge are known, except for the
	 * time. With many sleepers, saved reads matter. A process's first thread is read also for
	 * the memory that the others take; one that has ended may have worked before its end.
	 */
	if (!reading && !has_others && sampled->sleep.active && !sampled->has_ended &&
		!sampled->switching && !book->run->tick.closing &&
		sprof_account_has_slept(&sampled->account, &sampled->ledger.last.figures)) {
		struct sprof_figures figures = {
			.time_ns = now_of(book->run),
			.stood_ns = sampled->stood_ns,
			.cpus = *sprof_charge_cpus(book),
		};

		hand_over(book->run, thread,
			(struct sprof_charge){
				.times = sprof_account_sleep(&sampled->account, &figures)});
		sampled->stood_ns = 0;
		return false;
	}
	if (!reading && !sprof_reading_take(book->run->world, thread, &now))
		return false;
	charge(book, thread, reading ? reading : &now, false);
	return true;
}

void sprof_charge_last(struct book *book, struct sprof_thread *thread, bool with_figures)
{
	const struct sampled *sampled = thread->sampling;
	struct run *run = book->run;
	struct reading now;
	const bool has_reading = with_figures && (!sampled->has_ended || sampled->switching) &&
		sprof_reading_take(run->world, thread, &now);

	if (has_reading && !sampled->has_ended) {
		charge(book, thread, &now, true);
		return;
	}
	/* Its end was seen before its last waits were read. */
	if (has_reading)
		hand_facts(run, thread, &now.facts);
	hand_over(run, thread, (struct sprof_charge){.last = true});
}

void sprof_charge_pause(struct book *book, struct sprof_thread *thread, uint64_t time_ns)
{
	struct sampled *sampled = thread->sampling;
	struct run *run = book->run;
	struct reading now;

	if (sampled->has_ended || !sprof_reading_take(run->world, thread, &now))
		return;
	if (sampled->account.last.time_ns < time_ns) {
		run->tick.closing = true;
		charge(book, thread, &now, false);
		run->tick.closing = false;
	}
	swap_first(sampled, &now.facts);
}

/* A thread that has ended meanwhile gets nothing more. */
void sprof_charge_resume(struct book *book, struct sprof_thread *thread)
{
	struct sampled *sampled = thread->sampling;
	struct reading now;

	if (sampled->has_ended)
		return;
	sampled->has_ended = sprof_thread_has_figures(thread) ||
		!sprof_reading_take(book->run->world, thread, &now);
	if (sampled->has_ended)
		return;
	now.figures.cpus = *sprof_charge_cpus(book);
	add_off(thread, &now.figures);
	sprof_sampled_begin(sampled, &now.figures, now.schedstat.timeslices);
	swap_first(sampled, &now.facts);
}
