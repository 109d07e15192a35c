/*
 * The arithmetic of a thread's timer. Does not open or read it: kernel.c does.
 */
#include "sampler/timer/timed.h"

#include "base/clock.h"
#include "base/numbers.h"
#include "events/perf/timer.h"

enum {
	FIRST_STACK = 8 * 1024,
	SECOND_STACK = 32 * 1024,
	LEAST_STACK = 1024,
	STACK_STEP = 256,
	/* whole stacks that show how much is needed */
	ENOUGH_STACKS = 24,
	MORE_STACKS = 8, /* factor after each copy that was too small */
	MOST_OUTGROWN = 6,
	/* the kernel adds up a running thread's CPU time that often, at least (HZ) */
	STALE_NS = 12 * SPROF_NS_PER_MS,
};

static const double STOP_SHARE = 1.0 / 8; /* weight of a stop in the mean */
static const double MOST_SHARE = 0.3;     /* from this share on, each tick has a stop */
static const double SMALL_SHARE = 0.1;
static const double WORK = 0.25; /* periods; a thread that only wakes in a tick uses less */
static const double OPENING = 2; /* periods */
static const double CUT_SHARE = 1.0 / 64; /* weight of a record in the mean */
static const double MOST_CUT = 0.1;
static const double LEAST_OWED = -4, MOST_OWED = 1000;

/* Leaves room for somewhat deeper calls. The copy is most of what a record costs the thread. */
static size_t fitting(const struct timed *timed)
{
	const size_t more = timed->outgrown ? timed->needed / 2 : timed->needed / 8;
	const size_t size = timed->needed + more + STACK_STEP;

	return size < LEAST_STACK ? LEAST_STACK : size / STACK_STEP * STACK_STEP;
}

static uint32_t enough_stacks(const struct timed *timed)
{
	uint32_t stacks = ENOUGH_STACKS;

	for (unsigned i = 0; i < timed->outgrown; i++)
		stacks *= MORE_STACKS;
	return stacks;
}

static size_t larger(size_t size)
{
	if (size < FIRST_STACK)
		return FIRST_STACK;
	return size < SECOND_STACK ? SECOND_STACK : SPROF_PERF_TIMER_STACK_MAX;
}

size_t sprof_timed_stack_size(const struct timed *timed)
{
	if (timed->wants_more)
		return larger(timed->stack_size);
	if (timed->wants_less)
		return fitting(timed);
	return timed->stack_size ? timed->stack_size : FIRST_STACK;
}

bool sprof_timed_wants_other(const struct timed *timed)
{
	return timed->wants_more || timed->wants_less;
}

void sprof_timed_needed(struct timed *timed, size_t bytes)
{
	if (timed->needed < bytes)
		timed->needed = bytes;
}

/* Records beyond the thread's CPU time are not saved up for later. */
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
	timed->wants_more = timed->wants_less = false;
}

bool sprof_timed_goes_on(struct timed *timed, uint64_t tick_ns, uint64_t last_tick_ns)
{
	const bool goes_on =
		timed->found_ns && timed->found_ns >= last_tick_ns && timed->found_ns < tick_ns;

	timed->found_ns = tick_ns;
	return goes_on;
}

void sprof_timed_opened(struct timed *timed, struct sprof_perf_timer *timer, uint64_t tick_ns,
	uint64_t cpu_ns, double memory)
{
	hold(timed, timer);
	timed->opened_cpu_ns = cpu_ns ? cpu_ns : 1;
	timed->used_ns = timed->paced_ns = timed->moved_ns = tick_ns;
	timed->looked_ns = tick_ns;
	timed->cpu_ns = cpu_ns;
	timed->told_share = 1;
	timed->untold_ns = 0;
	timed->memory = memory;
	timed->waking = 1;
	timed->timeslices = timed->switches = 0;
	timed->off_ns = 0;
	timed->ran = timed->latest = 0;
	timed->has_place = timed->stands = false;
	timed->weight = 0;
	timed->owed = timed->fresh = 0;
	timed->woken = timed->cut = 0;
	timed->cut_share = 0;
}

bool sprof_timed_is_open(const struct timed *timed)
{
	return timed->timer && !timed->opened_cpu_ns;
}

void sprof_timed_has_kernel(struct timed *timed, bool is_full)
{
	timed->is_full = is_full;
}

void sprof_timed_began(
	struct timed *timed, uint64_t timeslices, uint64_t switches, uint64_t runq_ns)
{
	timed->runq_ns = runq_ns;
	timed->timeslices = timeslices;
	timed->switches = switches;
}

void sprof_timed_replaced(struct timed *timed, struct sprof_perf_timer *timer)
{
	hold(timed, timer);
}

void sprof_timed_closed(struct timed *timed, uint64_t told_ns, bool for_good)
{
	timed->told_ns = told_ns;
	timed->timer = NULL;
	timed->opened_cpu_ns = 0;
	timed->cut = 0;
	timed->given_up |= for_good;
}

void sprof_timed_executed(struct timed *timed)
{
	*timed = (struct timed){.told_ns = timed->told_ns};
}

/*
 * A new period begins the timer again: on average, half of the old one has passed without a record.
 */
void sprof_timed_paced(struct timed *timed, uint64_t now_ns, uint64_t period_ns, double weight)
{
	timed->timer_ns = weight * (double)period_ns;
	owe(timed, -timed->weight / 2);
	timed->paced_ns = now_ns;
	timed->paced_records = 0;
	timed->weight = weight;
}

void sprof_timed_has_room(struct timed *timed, size_t records)
{
	timed->room = records;
}

uint64_t sprof_timed_room_ns(const struct timed *timed)
{
	return (uint64_t)((double)timed->room * timed->timer_ns);
}

/* It has had time for a record. If it has none, it is in the kernel, where this timer has none. */
static bool has_had_time(const struct timed *timed, uint64_t cpu_ns)
{
	return !timed->is_full &&
		(double)sprof_minus(cpu_ns, timed->opened_cpu_ns) > OPENING * timed->timer_ns;
}

/* Stops have covered the time until now. */
static void become_open(struct timed *timed)
{
	if (!timed->opened_cpu_ns)
		return;
	timed->opened_cpu_ns = 0;
	timed->ran = timed->owed = 0;
	timed->woken = 0;
	timed->off_ns = timed->nap_ns = 0;
}

/*
 * CPU time is booked late, so the last nap was overestimated: this shows when the time off the CPU
 * since then turns negative. What is late at later looks evens out.
 */
static void correct_naps(struct timed *timed)
{
	timed->off_since_nap_ns += timed->off_between_ns;
	if (timed->off_since_nap_ns >= 0)
		return;
	timed->nap_ns += timed->off_since_nap_ns;
	timed->off_since_nap_ns = 0;
	if (timed->nap_ns < 0)
		timed->nap_ns = 0;
}

void sprof_timed_ran(struct timed *timed, const struct timed_look *look, double periods)
{
	if (has_had_time(timed, look->cpu_ns))
		become_open(timed);
	timed->used_ns = look->tick_ns;
	if (look->cpu_ns != timed->cpu_ns)
		timed->moved_ns = look->tick_ns;
	timed->runq_between_ns = sprof_minus(look->runq_ns, timed->runq_ns);
	timed->off_between_ns = (int64_t)sprof_minus(look->tick_ns, timed->looked_ns) -
		(int64_t)sprof_minus(look->cpu_ns, timed->cpu_ns);
	timed->ran_before = timed->looked_ns == look->last_ns;
	correct_naps(timed);
	timed->looked_ns = look->tick_ns;
	timed->cpu_ns = look->cpu_ns;
	timed->runq_ns = look->runq_ns;
	timed->latest = periods;
	timed->ran += periods;
	timed->told_share *= periods < timed->memory ? 1 - periods / timed->memory : 0;
	timed->told_share += timed->fresh / timed->memory;
	timed->fresh = 0;
	owe(timed, periods);
}

/*
 * No new timeslice and no CPU time at two looks in a row: the thread did not run in between, so it
 * did not go to sleep either. In a crowd, these are nearly all. At the first of the two, it may
 * have slept just before.
 */
static bool may_have_given_up(const struct timed *timed, bool had_stood, uint64_t period_ns)
{
	return timed->turns ||
		(!(timed->stands && had_stood) && timed->off_between_ns > (int64_t)period_ns / 2);
}

bool sprof_timed_may_have_slept(struct timed *timed, uint64_t timeslices, uint64_t period_ns)
{
	const bool had_stood = timed->stands;
	bool may_have_slept;

	timed->turns = sprof_minus(timeslices, timed->timeslices);
	timed->timeslices = timeslices;
	timed->has_slept = false;
	if (timed->turns)
		timed->moved_ns = timed->used_ns;
	timed->stands = !timed->turns && !timed->latest;
	may_have_slept = may_have_given_up(timed, had_stood, period_ns);
	if (!may_have_slept)
		timed->off_ns += timed->off_between_ns;
	return may_have_slept;
}

/*
 * It has slept between the looks. Each turn on a CPU that did not follow a sleep followed a wait in
 * the midst of its work; each turn is assumed to have waited equally long.
 */
static void queue(struct timed *timed, uint64_t sleeps)
{
	const uint64_t turns = timed->turns, others = sprof_minus(turns, sleeps);

	if (others)
		timed->off_ns +=
			(int64_t)((double)timed->runq_between_ns * (double)others / (double)turns);
	if (timed->off_ns < 0)
		timed->off_ns = 0;
}

/* Both looks found it running: no peek can show where it slept. */
static void nap(struct timed *timed)
{
	const int64_t slept_ns = timed->off_between_ns - (int64_t)timed->runq_between_ns;

	timed->nap_ns += slept_ns > 0 ? slept_ns : 0;
	timed->off_since_nap_ns = 0;
}

void sprof_timed_gave_up(struct timed *timed, uint64_t switches, uint32_t weight)
{
	const bool is_nap = timed->ran_before && weight > 1;

	timed->has_slept = switches != timed->switches;
	/* A record since the last look may be from after the sleep; an earlier one is not. */
	if (timed->has_slept && timed->record_ns != timed->looked_ns)
		timed->stays = false;
	if (timed->has_slept)
		queue(timed, sprof_minus(switches, timed->switches));
	else
		timed->off_ns += timed->off_between_ns;
	if (timed->has_slept && is_nap)
		nap(timed);
	if (timed->has_slept)
		timed->woken += is_nap ? 1 : weight;
	timed->switches = switches;
}

uint32_t sprof_timed_take_naps(struct timed *timed, uint64_t period_ns)
{
	const int64_t ticks = timed->nap_ns / (int64_t)period_ns;

	timed->nap_ns -= ticks * (int64_t)period_ns;
	return (uint32_t)ticks;
}

static void had_cpu(struct timed *timed, uint64_t tick_ns, uint64_t time_ns)
{
	become_open(timed);
	timed->used_ns = tick_ns;
	if (timed->moved_ns < time_ns)
		timed->moved_ns = time_ns;
}

void sprof_timed_untold(struct timed *timed, uint64_t tick_ns, uint64_t time_ns)
{
	had_cpu(timed, tick_ns, time_ns);
	timed->untold_ns = tick_ns;
}

void sprof_timed_recorded(struct timed *timed, uint64_t tick_ns, uint64_t time_ns)
{
	had_cpu(timed, tick_ns, time_ns);
	timed->record_ns = tick_ns;
	timed->paced_records++;
	timed->fresh += timed->weight;
	owe(timed, -timed->weight);
}

void sprof_timed_met_whole(struct timed *timed)
{
	timed->cut_share -= timed->cut_share * CUT_SHARE;
	timed->has_place = timed->stays = true;
	if (++timed->whole == enough_stacks(timed))
		timed->wants_less = timed->needed &&
			fitting(timed) <= timed->stack_size - timed->stack_size / 4;
}

void sprof_timed_was_placed(struct timed *timed, uint32_t samples)
{
	timed->has_place = timed->stays = samples;
}

void sprof_timed_restarted(struct timed *timed)
{
	timed->has_place = timed->stays = false;
	timed->nap_ns = 0;
}

/* Several records of one timer may be too small: that counts once. */
static void outgrow(struct timed *timed)
{
	if (!timed->wants_more && timed->outgrown < MOST_OUTGROWN)
		timed->outgrown++;
	timed->wants_more = true;
	timed->whole = 0;
}

void sprof_timed_was_cut(struct timed *timed, bool was_full)
{
	timed->cut++;
	if (was_full && timed->stack_size < SPROF_PERF_TIMER_STACK_MAX)
		outgrow(timed);
	else
		timed->cut_share += (1 - timed->cut_share) * CUT_SHARE;
}

bool sprof_timed_is_in_vain(const struct timed *timed)
{
	return timed->cut_share > MOST_CUT;
}

bool sprof_timed_is_queued(const struct timed *timed, uint64_t tick_ns)
{
	return tick_ns > timed->moved_ns + STALE_NS;
}

uint32_t sprof_timed_stood(struct timed *timed, uint64_t period_ns)
{
	uint32_t ticks;

	if (timed->off_ns < (int64_t)period_ns)
		return 0;
	ticks = (uint32_t)(timed->off_ns / (int64_t)period_ns);
	timed->off_ns -= (int64_t)(ticks * period_ns);
	return ticks;
}

bool sprof_timed_tells_all(const struct timed *timed)
{
	return timed->is_full &&
		(!timed->untold_ns || timed->used_ns > timed->untold_ns + SPROF_NS_PER_S);
}

/* A stop looks at what no record covers, once enough of it has passed. */
static bool has_more(const struct timed *timed, double most)
{
	const double in_kernel = 1 - timed->told_share;

	return !sprof_timed_tells_all(timed) &&
		(timed->ran >= most || timed->ran * in_kernel >= MOST_SHARE);
}

bool sprof_timed_is_due(const struct timed *timed, double most)
{
	return timed->cut || has_more(timed, most) || timed->woken * timed->waking >= MOST_SHARE;
}

uint64_t sprof_timed_awake_ns(const struct timed *timed, uint64_t cpu_ns, uint64_t runq_ns)
{
	return sprof_minus(cpu_ns, timed->cpu_ns) + sprof_minus(runq_ns, timed->runq_ns);
}

bool sprof_timed_tells(const struct timed *timed)
{
	return !timed->has_slept &&
		(sprof_timed_tells_all(timed) || 1 - timed->told_share < SMALL_SHARE);
}

static void stopped(struct timed *timed, bool was_waking)
{
	if (timed->woken)
		timed->waking += ((was_waking ? 1 : 0) - timed->waking) * STOP_SHARE;
	timed->ran = 0;
	timed->woken = 0;
}

uint32_t sprof_timed_met_in_kernel(struct timed *timed)
{
	const double owed = timed->owed < MOST_OWED ? timed->owed : MOST_OWED;
	const uint32_t samples = owed > 1 ? (uint32_t)(owed + 0.5) : 1;

	owe(timed, -(double)samples);
	stopped(timed, false);
	return samples;
}

uint32_t sprof_timed_met_in_user(struct timed *timed)
{
	const uint32_t cut = timed->cut;

	timed->cut = 0;
	stopped(timed, false);
	return cut;
}

uint32_t sprof_timed_met_waking(struct timed *timed)
{
	const uint32_t ticks = timed->woken ? timed->woken : 1;

	stopped(timed, true);
	return ticks;
}

bool sprof_timed_was_missed(struct timed *timed)
{
	const bool was_at_work = timed->latest > WORK;

	stopped(timed, !was_at_work);
	return !was_at_work;
}
