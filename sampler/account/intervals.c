/*
 * Chooses the samples that get the time of an interval.
 *
 * - Time on a CPU goes in equal shares to the timer records in the interval; without records, to
 *   the stop at its end; without a stop, it is kept for the next sample.
 * - Time asleep goes to the sleep at the start. If another sleep is seen at the end, each gets
 *   half. Without a sleep at the start, it is kept for the next sleep that is seen.
 * - Time in the run queue goes to the sleep at the start, if the thread was in one; else it goes
 *   with the CPU time.
 *
 * Does not divide the classes of time: the kernel gives their sums (account.c), and these shares
 * are only weights (profile/model/window.c).
 */
#include "sampler/account/intervals.h"

#include "sampler/sampled.h"

enum { ALL = 1, HALF = 2 };

static struct ledger_look read_now(const struct run *run, struct sprof_thread *thread)
{
	const struct sprof_world *world = run->world;
	struct ledger_look look = {.time_ns = now_of(run)};

	if (!world->read_schedstat(world->data, thread, &look.figures))
		look.time_ns = 0;
	return look;
}

static void end(struct samples *samples, struct sprof_thread *thread,
	const struct ledger_look *look, bool sleeps)
{
	struct sampled *sampled = thread->sampling;
	struct ledger *ledger = &sampled->ledger;

	if (look->time_ns)
		sprof_ledger_read(ledger, look, sampled->sleep.active, sleeps);
	if (!sprof_samples_have_records(samples, thread))
		return;
	sprof_samples_share(samples, thread, sprof_ledger_take_running(ledger));
	/* With nohz_full, the kernel adds the CPU time much later. */
	ledger->ran_ns = ledger->last.time_ns;
}

void sprof_interval_read(struct samples *samples, struct sprof_thread *thread, uint64_t since_ns)
{
	const struct sampled *sampled = thread->sampling;
	struct ledger_look look = {0};

	if (sampled->ledger.last.time_ns < since_ns)
		look = read_now(samples->run, thread);
	end(samples, thread, &look, false);
}

static void sleep_on(struct samples *samples, struct sprof_thread *thread,
	const struct ledger_look *look, int64_t part)
{
	struct sampled *sampled = thread->sampling;
	struct ledger *ledger = &sampled->ledger;

	end(samples, thread, look, part == HALF);
	sprof_samples_sleep_on(samples, thread, sprof_ledger_take_asleep(ledger, part),
		sprof_ledger_take_queue(ledger));
}

uint64_t sprof_interval_end(struct samples *samples, const struct observation *observation)
{
	const bool is_blocked = sprof_state_is_blocked(observation->state);
	struct sprof_thread *thread = observation->thread;
	struct sampled *sampled = thread->sampling;

	if (sampled->sleep.active && observation->by != OBSERVED_BY_REUSE) {
		sleep_on(samples, thread, &observation->look, is_blocked ? HALF : ALL);
		sprof_sampled_woke(sampled);
	} else {
		end(samples, thread, &observation->look, is_blocked);
	}
	return is_blocked ? sprof_ledger_take_asleep(&sampled->ledger, ALL)
			  : sprof_ledger_take_running(&sampled->ledger);
}

void sprof_interval_sleep(
	struct samples *samples, struct sprof_thread *thread, uint64_t time_ns, bool reads)
{
	const struct sampled *sampled = thread->sampling;
	struct ledger_look look = {time_ns, sampled->ledger.last.figures};

	if (!sampled->sleep.active || time_ns <= sampled->ledger.last.time_ns)
		return;
	if (reads)
		look = read_now(samples->run, thread);
	sleep_on(samples, thread, &look, ALL);
}

void sprof_interval_woke(
	struct samples *samples, struct sprof_thread *thread, const struct ledger_look *look)
{
	const struct sampled *sampled = thread->sampling;

	if (!sampled->sleep.active)
		return;
	sleep_on(samples, thread, look, ALL);
	sprof_sampled_woke(thread->sampling);
}
