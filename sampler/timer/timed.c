/*
 * When a thread has a timer, and how large its copies of the stack are. Does not open or read it:
 * timers.c does.
 */
#include "sampler/timer/timed.h"

#include "events/perf/timer.h"

enum {
	FIRST_STACK = 8 * 1024,
	LEAST_STACK = 1024,
	STACK_STEP = 256,
	/* whole stacks that show how much is needed */
	ENOUGH_STACKS = 24,
};

static const double CUT_SHARE = 1.0 / 64; /* weight of a record in the mean */
static const double MOST_CUT = 0.1;

/* Leaves room for somewhat deeper calls. The copy is most of what a record costs the thread. */
static size_t fitting(const struct timed *timed)
{
	const size_t size = timed->needed + timed->needed / 8 + STACK_STEP;

	return size < LEAST_STACK ? LEAST_STACK : size / STACK_STEP * STACK_STEP;
}

bool sprof_timed_goes_on(struct timed *timed, uint64_t tick_ns, uint64_t last_tick_ns)
{
	const bool goes_on =
		timed->found_ns && timed->found_ns >= last_tick_ns && timed->found_ns < tick_ns;

	timed->found_ns = tick_ns;
	return goes_on;
}

size_t sprof_timed_next_size(const struct timed *timed)
{
	size_t size = timed->next_size ? timed->next_size : timed->stack_size;

	if (!size)
		size = fitting(timed) > FIRST_STACK ? fitting(timed) : FIRST_STACK;
	return size < SPROF_PERF_TIMER_STACK_MAX ? size : SPROF_PERF_TIMER_STACK_MAX;
}

void sprof_timed_got(struct timed *timed, struct sprof_perf_timer *timer, size_t stack_size)
{
	timed->timer = timer;
	timed->stack_size = stack_size;
	timed->next_size = 0;
}

void sprof_timed_closed(struct timed *timed, bool for_good)
{
	timed->timer = NULL;
	timed->is_open = false;
	timed->given_up |= for_good;
}

void sprof_timed_paced(struct timed *timed, uint64_t now_ns, uint64_t period_ns)
{
	timed->paced_ns = now_ns;
	timed->period_ns = period_ns;
	timed->paced_records = 0;
}

void sprof_timed_needed(struct timed *timed, size_t bytes)
{
	if (timed->needed < bytes)
		timed->needed = bytes;
}

void sprof_timed_recorded(struct timed *timed, bool is_whole, bool was_full)
{
	timed->is_open = true;
	timed->paced_records++;
	if (!is_whole && was_full && timed->stack_size < SPROF_PERF_TIMER_STACK_MAX) {
		timed->outgrown = true;
		timed->next_size = SPROF_PERF_TIMER_STACK_MAX;
		return;
	}
	timed->cut_share += ((is_whole ? 0 : 1) - timed->cut_share) * CUT_SHARE;
	if (is_whole && ++timed->whole == ENOUGH_STACKS && !timed->outgrown && timed->needed &&
		fitting(timed) <= timed->stack_size - timed->stack_size / 4)
		timed->next_size = fitting(timed);
}

bool sprof_timed_is_in_vain(const struct timed *timed)
{
	return timed->cut_share > MOST_CUT;
}
