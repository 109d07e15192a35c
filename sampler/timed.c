/*
 * The arithmetic of a thread's timer. Does not open or read it: kernel.c does.
 */
#include "sampler/timed.h"

#include "events/perf-timer.h"

enum {
	FIRST_STACK = 8 * 1024,
	SECOND_STACK = 32 * 1024,
	MOST_CUT = 16, /* in a row */
};

static const double SHARE_OF_ONE = 1.0 / 32; /* that a period has in the mean */
static const double KERNEL_SHARE = 0.3;      /* from this share on, each tick has a stop */
static const double LEAST_OWED = -4, MOST_OWED = 1000;

size_t sprof_timed_stack_size(const struct timed *timed)
{
	if (!timed->wants_more)
		return timed->stack_size ? timed->stack_size : FIRST_STACK;
	return timed->stack_size < SECOND_STACK ? SECOND_STACK : SPROF_PERF_TIMER_STACK_MAX;
}

/* What the timer has given beyond the thread's CPU time does not count for later. */
static void owe(struct timed *timed, double samples)
{
	timed->owed += samples;
	if (timed->owed < LEAST_OWED)
		timed->owed = LEAST_OWED;
}

static void hold(struct timed *timed, struct sprof_perf_timer *timer)
{
	timed->timer = timer;
	timed->stack_size = sprof_timed_stack_size(timed);
	timed->wants_more = false;
}

void sprof_timed_opened(
	struct timed *timed, struct sprof_perf_timer *timer, uint64_t tick_ns, uint64_t cpu_ns)
{
	hold(timed, timer);
	timed->opened_ns = timed->used_ns = timed->paced_ns = tick_ns;
	timed->cpu_ns = cpu_ns;
	timed->user_share = 1;
	timed->weight = 0;
	timed->owed = timed->fresh = 0;
	timed->ticks = timed->cut = timed->cut_in_row = 0;
}

void sprof_timed_replaced(struct timed *timed, struct sprof_perf_timer *timer)
{
	hold(timed, timer);
}

void sprof_timed_closed(struct timed *timed, bool for_good)
{
	timed->timer = NULL;
	timed->cut = 0;
	timed->given_up |= for_good;
}

void sprof_timed_executed(struct timed *timed)
{
	*timed = (struct timed){.timer = timed->timer};
}

/* On average, half of a period had passed, which gives no record. */
void sprof_timed_paced(struct timed *timed, uint64_t now_ns, double weight)
{
	owe(timed, -timed->weight / 2);
	timed->paced_ns = now_ns;
	timed->weight = weight;
}

void sprof_timed_ran(struct timed *timed, uint64_t tick_ns, uint64_t cpu_ns, double periods)
{
	timed->used_ns = tick_ns;
	timed->cpu_ns = cpu_ns;
	timed->ticks++;
	timed->user_share *= periods * SHARE_OF_ONE < 1 ? 1 - periods * SHARE_OF_ONE : 0;
	timed->user_share += timed->fresh * SHARE_OF_ONE;
	timed->fresh = 0;
	owe(timed, periods);
}

void sprof_timed_recorded(struct timed *timed, uint64_t tick_ns)
{
	timed->used_ns = timed->record_ns = tick_ns;
	timed->fresh += timed->weight;
	owe(timed, -timed->weight);
}

void sprof_timed_met_whole(struct timed *timed)
{
	timed->cut_in_row = 0;
}

void sprof_timed_was_cut(struct timed *timed, bool was_full)
{
	timed->cut++;
	timed->cut_in_row++;
	if (!was_full || timed->stack_size >= SPROF_PERF_TIMER_STACK_MAX)
		return;
	timed->wants_more = true;
	timed->cut_in_row = 0;
}

bool sprof_timed_is_in_vain(const struct timed *timed)
{
	return timed->cut_in_row >= MOST_CUT;
}

bool sprof_timed_is_due(const struct timed *timed, uint32_t most)
{
	const double kernel_share = 1 - timed->user_share;

	return timed->cut || timed->ticks >= most || timed->ticks * kernel_share >= KERNEL_SHARE;
}

uint32_t sprof_timed_met_in_kernel(struct timed *timed)
{
	const double owed = timed->owed < MOST_OWED ? timed->owed : MOST_OWED;
	const uint32_t samples = owed > 1 ? (uint32_t)(owed + 0.5) : 1;

	owe(timed, -(double)samples);
	timed->ticks = 0;
	return samples;
}

uint32_t sprof_timed_met_in_user(struct timed *timed)
{
	const uint32_t cut = timed->cut;

	timed->ticks = timed->cut = 0;
	return cut;
}
