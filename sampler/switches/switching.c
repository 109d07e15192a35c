/* The arithmetic of a thread's switches. Does not read them: exact.c does. */
#include "sampler/switches/switching.h"

#include <stdlib.h>
#include <string.h>

#include "attach/thread.h"
#include "base/array.h"
#include "base/numbers.h"
#include "base/search.h"

void sprof_switching_destroy(struct switching *switching)
{
	if (!switching)
		return;
	free(switching->items);
	free(switching);
}

static int compare(const void *a, const void *b)
{
	const struct switch_item *left = a, *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return (int)left->kind - (int)right->kind;
}

/* CPUs are read one after the other. */
static void sort(struct switching *switching)
{
	if (switching->is_unsorted)
		qsort(switching->items, switching->count, sizeof(*switching->items), compare);
	switching->is_unsorted = false;
}

/* Places are read after the switches of the same time: to sort for each of them would take long. */
static void add_place(struct switching *switching, const struct switch_item *item)
{
	size_t at = switching->count;

	sort(switching);
	while (at > switching->first && compare(&switching->items[at - 1], item) > 0)
		at--;
	memmove(&switching->items[at + 1], &switching->items[at],
		(switching->count - at) * sizeof(*switching->items));
	switching->items[at] = *item;
	switching->count++;
}

bool sprof_switching_add(struct switching *switching, const struct switch_item *item)
{
	if (!sprof_array_reserve(&switching->items, &switching->capacity, switching->count + 1,
		    sizeof(*switching->items)))
		return false;
	if (item->kind == SWITCH_PLACE) {
		add_place(switching, item);
		return true;
	}
	switching->is_unsorted |=
		switching->count && switching->items[switching->count - 1].time_ns > item->time_ns;
	switching->items[switching->count++] = *item;
	return true;
}

/*
 * Whether the item is a switch: not a gap, nor in one. At a gap, what is known of the present
 * interval is not valid any more.
 */
static bool is_sure(struct switching *switching, const struct switch_item *item)
{
	if (item->kind == SWITCH_GAP) {
		switching->held = (struct switching_totals){0};
		switching->is_off = false;
		switching->is_lost = true;
		switching->gaps++;
		switching->since_ns = sprof_most(switching->since_ns, item->gap_ns);
	} else if (!switching->is_lost || item->time_ns > switching->since_ns) {
		switching->is_lost = false;
	}
	return !switching->is_lost;
}

bool sprof_switching_take(struct switching *switching, uint64_t until_ns, struct switch_item *ret)
{
	sort(switching);
	while (switching->first < switching->count &&
		switching->items[switching->first].time_ns < until_ns) {
		*ret = switching->items[switching->first++];
		if (ret->kind == SWITCH_PLACE) {
			switching->place = ret->place;
		} else if (is_sure(switching, ret)) {
			return true;
		}
	}
	switching->count -= switching->first;
	if (switching->first && switching->count)
		memmove(switching->items, &switching->items[switching->first],
			switching->count * sizeof(*switching->items));
	switching->first = 0;
	return false;
}

bool sprof_switching_went_on(struct switching *switching, uint64_t until_ns)
{
	sort(switching);
	for (size_t i = switching->first;
		i < switching->count && switching->items[i].time_ns < until_ns; i++) {
		/* A gap may have hidden anything. */
		if (switching->items[i].kind == SWITCH_ON || switching->items[i].kind == SWITCH_GAP)
			return true;
	}
	return false;
}

bool sprof_switching_was_preempted(struct switching *switching, uint64_t time_ns)
{
	const struct switch_item *first;
	size_t count, at;

	sort(switching);
	count = switching->count - switching->first;
	if (!count)
		return false;
	first = switching->items + switching->first;
	at = sprof_lower_bound(first, count, SPROF_KEY(first, time_ns, time_ns));
	while (at < count && first[at].kind == SWITCH_PLACE)
		at++;
	return at < count && first[at].kind == SWITCH_OFF && first[at].preempted;
}

static void begin_interval(struct switching *switching, uint64_t since_ns, bool preempted)
{
	switching->is_known = switching->is_off = true;
	switching->is_counted = switching->is_old = false;
	switching->preempted = preempted;
	switching->since_ns = since_ns;
	switching->held = (struct switching_totals){0};
}

/*
 * The last place since the thread got its CPU is where it left it; earlier ones had no switch. A
 * second record of the same switch says nothing new.
 */
void sprof_switching_off(struct switching *switching, const struct switch_item *item)
{
	if (switching->is_known && switching->is_off)
		return;
	switching->has_place = switching->place.time_ns &&
		(!switching->is_known || switching->place.time_ns >= switching->since_ns);
	begin_interval(switching, item->time_ns, item->preempted);
}

bool sprof_switching_on(struct switching *switching, uint64_t time_ns, struct off_interval *ret)
{
	const bool was_off = switching->is_known && switching->is_off;

	if (switching->is_known && !switching->is_off)
		return false;
	*ret = (struct off_interval){switching->since_ns, time_ns, switching->preempted};
	switching->is_known = true;
	switching->is_off = false;
	switching->since_ns = time_ns;
	return was_off;
}

void sprof_switching_found_off(struct switching *switching, uint64_t since_ns)
{
	begin_interval(switching, since_ns, false);
	switching->has_place = false;
}

uint64_t sprof_switching_resumed(
	const struct sprof_thread *thread, const struct off_interval *interval)
{
	return thread && !interval->preempted
		? sprof_thread_resumed_between(thread, interval->begin_ns, interval->end_ns)
		: 0;
}

/* Adds the interval to the time off the CPU. */
static enum off_kind add_off(
	struct switching *switching, const struct off_interval *interval, uint64_t resumed_ns)
{
	const uint64_t ns = sprof_minus(interval->end_ns, interval->begin_ns);

	if (resumed_ns && !interval->preempted) {
		switching->off_ns += sprof_minus(interval->end_ns, resumed_ns);
		return OFF_STOP;
	}
	switching->off_ns += ns;
	switching->off_wait_ns += interval->preempted ? 0 : ns;
	return interval->preempted ? OFF_PREEMPTED : OFF_WAIT;
}

static void add_pending(const struct switching *switching, const struct sprof_thread *thread,
	struct switching *copy)
{
	struct off_interval interval;

	for (size_t i = switching->first; i < switching->count; i++) {
		const struct switch_item *item = &switching->items[i];

		if (item->kind == SWITCH_PLACE || !is_sure(copy, item))
			continue;
		if (item->kind == SWITCH_OFF)
			sprof_switching_off(copy, item);
		else if (sprof_switching_on(copy, item->time_ns, &interval))
			(void)add_off(copy, &interval, sprof_switching_resumed(thread, &interval));
	}
}

/* While a preempted thread waits in the run queue, the kernel has not counted that time either. */
struct switching_off sprof_switching_off_by(
	struct switching *switching, const struct sprof_thread *thread, uint64_t now_ns)
{
	struct off_interval present;
	struct switching copy;

	sort(switching);
	copy = *switching;
	add_pending(switching, thread, &copy);
	present = (struct off_interval){copy.since_ns, now_ns};
	if (copy.is_known && copy.is_off && !copy.preempted &&
		!sprof_switching_resumed(thread, &present))
		(void)add_off(&copy, &present, 0);
	return (struct switching_off){
		.is_known = switching->is_known && !copy.is_lost,
		.ns = copy.off_ns,
		.wait_ns = copy.off_wait_ns,
		.gaps = copy.gaps,
	};
}

/* What a wait adds that has lasted from begin_ns on, the present interval. */
static struct switching_totals part_of(
	const struct switching *switching, uint64_t begin_ns, uint64_t end_ns)
{
	struct switching_totals part = switching->held;

	if (switching->is_paused)
		return part;
	part.waits |= !switching->is_old;
	part.wait_ns += sprof_minus(end_ns, sprof_most(begin_ns, switching->cut_ns));
	part.longest_ns = sprof_most(
		part.longest_ns, sprof_minus(end_ns, sprof_most(begin_ns, switching->from_ns)));
	return part;
}

static void add(struct switching_totals *totals, const struct switching_totals *part)
{
	totals->waits += part->waits;
	totals->wait_ns += part->wait_ns;
	totals->longest_ns = sprof_most(totals->longest_ns, part->longest_ns);
}

enum off_kind sprof_switching_count(
	struct switching *switching, const struct off_interval *interval, uint64_t resumed_ns)
{
	const enum off_kind kind = add_off(switching, interval, resumed_ns);
	struct switching_totals part;

	if (kind == OFF_PREEMPTED && !switching->is_paused) {
		switching->totals.preemptions++;
		switching->totals.preempted_ns += sprof_minus(interval->end_ns, interval->begin_ns);
	}
	if (kind == OFF_WAIT) {
		part = part_of(switching, interval->begin_ns, interval->end_ns);
		add(&switching->totals, &part);
	}
	return kind;
}

static bool is_waiting(const struct switching *switching)
{
	return switching->is_known && switching->is_off && !switching->preempted;
}

struct switching_totals sprof_switching_own(const struct switching *switching, uint64_t now_ns)
{
	struct switching_totals own = switching->totals, part;

	if (!is_waiting(switching))
		return own;
	part = part_of(switching, switching->since_ns, now_ns);
	add(&own, &part);
	return own;
}

void sprof_switching_pause(struct switching *switching, uint64_t now_ns)
{
	if (is_waiting(switching))
		switching->held = part_of(switching, switching->since_ns, now_ns);
	switching->is_paused = true;
}

void sprof_switching_resume(struct switching *switching, uint64_t now_ns)
{
	switching->is_paused = false;
	switching->is_old = true;
	switching->row.since_ns = 0;
	switching->from_ns = switching->cut_ns = now_ns;
}

/* Places have ids of a sink that is gone. */
void sprof_switching_restart(struct switching *switching, uint64_t now_ns)
{
	size_t kept = switching->first;

	for (size_t i = kept; i < switching->count; i++) {
		if (switching->items[i].kind != SWITCH_PLACE)
			switching->items[kept++] = switching->items[i];
	}
	switching->count = kept;
	switching->has_place = false;
	switching->place.time_ns = 0;
	switching->tick.time_ns = switching->row.since_ns = 0;
	switching->totals = switching->held = (struct switching_totals){0};
	switching->is_old = true;
	switching->cut_ns = now_ns;
}
