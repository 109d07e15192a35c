/*
 * Decides when a thread's time is charged: its figures must be exact, and worth reading. account.c
 * gives their meaning. Does not handle samples.
 */
#include "sampler/account/charge.h"

#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "sampler/switches/switching.h"

enum {
	WINDOW_NS = SPROF_NS_PER_S,
	CPUS_NS = 10 * SPROF_NS_PER_MS, /* the machine's figures are in ticks of that length */
};

const struct sprof_proc_cpus *sprof_charge_cpus(struct charging *charging)
{
	const struct sprof_world *world = charging->run->world;
	const uint64_t now = now_of(charging->run);
	const uint64_t age_ns = charging->closing ? CPUS_NS : WINDOW_NS / 2;

	if (charging->cpus_ns && now < charging->cpus_ns + age_ns)
		return &charging->cpus;
	charging->cpus_ns = now;
	charging->cpus = world->read_cpus(world->data);
	return &charging->cpus;
}

/* Hands over only the times that the mode counts. */
static void hand_over(const struct charging *charging, const struct sprof_thread *thread,
	struct sprof_charge charge)
{
	const struct sprof_sink *sink = charging->sink;

	for (int i = 0; i < SPROF_TIME_COUNT; i++) {
		if (!sprof_mode_counts(charging->run->options->mode, (enum sprof_time_class)i))
			charge.times.ns[i] = 0;
	}
	if (!sink->charge(sink->data, thread->id, &charge))
		charging->run->out_of_memory = true;
}

/*
 * The figures of a thread that has slept since the last charge are known, except for the time. With
 * many sleepers, saved reads matter. A process's first thread is read also for the memory that the
 * others take; one that has ended may have worked before its end.
 */
static bool is_known(const struct charging *charging, const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;
	const struct sprof_proc_schedstat *now = &sampled->ledger.last.figures;

	if (thread->tid == thread->process->pid && thread->process->threads > 1)
		return false;
	return sampled->sleep.active && sampled->life != SAMPLED_DEAD && !sampled->switching &&
		!charging->closing && sampled->account.last.cpu_ns == now->cpu_ns &&
		sampled->account.last.runq_ns == now->runq_ns;
}

/* Recorded switches show when the thread was on no CPU. */
static void add_off(const struct sampled *sampled, struct sprof_figures *now)
{
	struct switching *switching = sampled->switching;
	struct switching_off off;

	if (!switching)
		return;
	off = sprof_switching_off_by(switching, now->time_ns);
	now->has_off = off.is_known;
	now->off_ns = off.ns;
	now->off_gaps = off.gaps;
}

static void add_waits(
	const struct sampled *sampled, struct sprof_thread_facts *facts, uint64_t now_ns)
{
	const struct switching *switching = sampled->switching;
	struct switching_totals own;

	if (!switching)
		return;
	own = sprof_switching_own(switching, now_ns);
	facts->has_waits = true;
	facts->waits = own.waits;
	facts->wait_ns = own.wait_ns;
	facts->longest_wait_ns = own.longest_ns;
	facts->preemptions = own.preemptions;
	facts->preempted_ns = own.preempted_ns;
}

static void charge_sleeper(struct charging *charging, struct sprof_thread *thread)
{
	struct sampled *sampled = thread->sampling;
	struct sprof_figures now = {
		.time_ns = now_of(charging->run),
		.stood_ns = sampled->stood_ns,
		.cpus = *sprof_charge_cpus(charging),
	};

	hand_over(charging, thread,
		(struct sprof_charge){.times = sprof_account_sleep(&sampled->account, &now)});
}

/* Hands the other counters to the sink. */
static void tell(const struct charging *charging, const struct sprof_thread *thread,
	const struct sprof_thread_facts *facts)
{
	const struct sprof_sink *sink = charging->sink;
	const struct sampled *sampled = thread->sampling;
	struct sprof_thread_facts own = *facts;

	sprof_facts_subtract(&own, sampled->first);
	add_waits(sampled, &own, now_of(charging->run));
	if (sink->facts && !sink->facts(sink->data, thread->id, &own))
		charging->run->out_of_memory = true;
}

static struct sprof_charge advance(struct charging *charging, struct sprof_thread *thread,
	const struct reading *reading, bool last)
{
	struct sampled *sampled = thread->sampling;
	struct sprof_figures now = reading->figures;
	struct sprof_charge charge = {.last = last};

	now.cpus = *sprof_charge_cpus(charging);
	add_off(sampled, &now);
	charge.faults = sprof_minus(now.faults, sampled->account.last.faults);
	charge.times = sprof_account_advance(&sampled->account, &now,
		last || charging->closing || sampled->life == SAMPLED_DEAD);
	return charge;
}

static void charge(struct charging *charging, struct sprof_thread *thread,
	const struct reading *reading, bool last)
{
	hand_over(charging, thread, advance(charging, thread, reading, last));
	tell(charging, thread, &reading->facts);
}

static bool read_now(
	const struct charging *charging, struct sprof_thread *thread, struct reading *ret)
{
	return sprof_reading_take(charging->run->world, thread, ret);
}

bool sprof_charge_is_due(
	const struct charging *charging, const struct sampled *sampled, uint64_t now_ns)
{
	return charging->closing || now_ns >= sampled->account.last.time_ns + WINDOW_NS;
}

bool sprof_charge_window(
	struct charging *charging, struct sprof_thread *thread, const struct reading *reading)
{
	struct reading now;

	if (!reading && is_known(charging, thread)) {
		charge_sleeper(charging, thread);
		return false;
	}
	if (!reading && !read_now(charging, thread, &now))
		return false;
	charge(charging, thread, reading ? reading : &now, false);
	return true;
}

void sprof_charge_ended(struct charging *charging, struct sprof_thread *thread)
{
	struct sampled *sampled = thread->sampling;

	if (sampled->life == SAMPLED_DEAD)
		return;
	sampled->life = SAMPLED_DEAD;
	sprof_charge_window(charging, thread, NULL);
}

/* If the thread's end was seen before its last waits were read, hands those over. */
static void tell_waits(struct charging *charging, struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;
	struct reading now;

	if (sampled->switching && sampled->life == SAMPLED_DEAD && read_now(charging, thread, &now))
		tell(charging, thread, &now.facts);
}

void sprof_charge_last(struct charging *charging, struct sprof_thread *thread, bool with_figures)
{
	const struct sampled *sampled = thread->sampling;
	struct reading now;

	if (with_figures)
		tell_waits(charging, thread);
	if (with_figures && sampled->life != SAMPLED_DEAD && read_now(charging, thread, &now))
		charge(charging, thread, &now, true);
	else
		hand_over(charging, thread, (struct sprof_charge){.last = true});
}

void sprof_charge_pause(struct charging *charging, struct sprof_thread *thread, uint64_t time_ns)
{
	struct sampled *sampled = thread->sampling;
	const bool closing = charging->closing;
	struct reading now;

	if (sampled->life == SAMPLED_DEAD || !read_now(charging, thread, &now))
		return;
	if (sampled->account.last.time_ns < time_ns) {
		charging->closing = true;
		charge(charging, thread, &now, false);
		charging->closing = closing;
	}
	/* Until sampling resumes, `first` holds the figures of the run so far. */
	sprof_facts_subtract(&now.facts, sampled->first);
	memcpy(sampled->first, now.facts.counters, sizeof(sampled->first));
}

/* A thread that has ended meanwhile gets nothing more. */
void sprof_charge_resume(struct charging *charging, struct sprof_thread *thread)
{
	struct sampled *sampled = thread->sampling;
	struct reading now;

	if (sampled->life == SAMPLED_DEAD)
		return;
	if (sprof_thread_has_figures(thread) || !read_now(charging, thread, &now)) {
		sampled->life = SAMPLED_DEAD;
		return;
	}
	now.figures.cpus = *sprof_charge_cpus(charging);
	add_off(sampled, &now.figures);
	sprof_sampled_resumed(sampled, &now);
}
