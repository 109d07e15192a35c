/*
 * Stopping threads: all of a CPU are asked first, then each is copied and let go as it comes; walking and
 * interning wait until the last one runs again. Knows whom to ask, from which CPU, and how long to wait;
 * what is done to a thread that stands still is standstill.c's.
 */
#include "sampler/sampler-internal.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"

/*
 * A thread that has not stopped by then waits for a CPU, or uninterruptibly; the ticks go on, and the
 * first kind is taken when it comes.
 */
enum { PATIENCE_NS = 20 * SPROF_NS_PER_MS, LAST_PATIENCE_NS = SPROF_NS_PER_S };

/* A thread that runs stops within a quarter of that; another has to be waited for. */
enum { SPIN_NS = 50 * 1000, LEAST_PATIENCE_NS = 4 * SPIN_NS };

/* Room for one more slot, and in it for the thread's stack; and for that of a stop nobody waits for. */
static struct slot *next_slot(struct sampler *sampler, const struct sprof_thread *thread)
{
	size_t count = sampler->slot_count;

	if (sprof_copy_reserve(&sampler->spare.buffer, thread->sampling) &&
		sprof_array_reserve(&sampler->slots, &sampler->slot_capacity, count + 1,
			sizeof(*sampler->slots)) &&
		sprof_copy_reserve(&sampler->slots[count].buffer, thread->sampling))
		return &sampler->slots[count];
	sampler->out_of_memory = true;
	return NULL;
}

void sprof_stops_add(
	struct sampler *sampler, struct sprof_thread *thread, const struct slot_before *before)
{
	struct slot *slot = next_slot(sampler, thread);
	bool asked = thread->phase == SPROF_THREAD_INTERRUPTED;

	if (!slot)
		return;
	sampler->slot_count++;
	slot->thread = thread;
	slot->phase = asked ? SLOT_QUEUED : SLOT_PLANNED;
	slot->near = slot->awaited = false;
	slot->before = *before;
}

bool sprof_stops_ask(struct sampler *sampler, struct sprof_thread *thread)
{
	if (thread->phase == SPROF_THREAD_INTERRUPTED)
		return true;
	if (!sprof_copy_reserve(&sampler->spare.buffer, thread->sampling)) {
		sampler->out_of_memory = true;
		return false;
	}
	return thread->phase == SPROF_THREAD_RUNNING && sprof_thread_interrupt(thread);
}

static struct slot *slot_of(struct sampler *sampler, const struct sprof_thread *thread)
{
	for (size_t i = 0; i < sampler->slot_count; i++) {
		if (sampler->slots[i].thread == thread)
			return &sampler->slots[i];
	}
	return NULL;
}

/* The slots [first, last) of the threads that ran on one CPU. */
struct group {
	struct slot *first, *last;
};

static bool has(const struct group *group, const struct slot *slot)
{
	return slot >= group->first && slot < group->last;
}

/* Those that were asked in an earlier tick come when they can. */
static void request(const struct group *group)
{
	for (struct slot *slot = group->first; slot < group->last; slot++) {
		if (slot->phase != SLOT_PLANNED)
			continue;
		slot->requested_ns = sprof_clock_now_ns();
		slot->awaited = sprof_thread_interrupt(slot->thread);
		slot->phase = slot->awaited ? SLOT_ASKED : SLOT_GONE;
	}
}

static bool is_awaited(const struct group *group)
{
	for (const struct slot *slot = group->first; slot < group->last; slot++) {
		if (slot->awaited)
			return true;
	}
	return false;
}

/* One of them had the CPU; the others have to wait for it, which is no pause of ours. */
static void queue_rest(const struct group *group)
{
	for (struct slot *slot = group->first; slot < group->last; slot++) {
		if (slot->phase == SLOT_ASKED)
			slot->phase = SLOT_QUEUED;
	}
}

static bool is_owed(const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	return sampling && sampling->owed;
}

/* NULL: it is in use, or too small, and nothing is allocated while a thread stands still. */
static struct slot *use_spare(struct sampler *sampler, struct sprof_thread *thread)
{
	struct slot *slot = &sampler->spare;

	if (slot->thread || !thread->sampling ||
		!sprof_copy_has_room(&slot->buffer, thread->sampling))
		return NULL;
	slot->thread = thread;
	slot->phase = SLOT_QUEUED;
	slot->before = (struct slot_before){.state = SPROF_STATE_USER};
	return slot;
}

static void pay_spare(struct sampler *sampler)
{
	if (sampler->spare.thread)
		sprof_stopped_pay(sampler, &sampler->spare);
	sampler->spare.thread = NULL;
}

/* Nobody needs this stop any more. */
static void let_go(struct sampler *sampler, struct sprof_thread *thread)
{
	sprof_standstill_end(thread);
	sprof_owed_forgive(sampler, thread);
}

static bool is_copied(const struct slot *slot)
{
	return slot->phase == SLOT_COPIED || slot->phase == SLOT_FAILED;
}

static void take_stop(
	struct sampler *sampler, const struct group *group, struct sprof_thread *thread)
{
	struct slot *slot = slot_of(sampler, thread);

	if (slot && is_copied(slot))
		slot = NULL;
	else if (!slot && is_owed(thread))
		slot = use_spare(sampler, thread);
	if (!slot) {
		let_go(sampler, thread);
		return;
	}
	sprof_standstill_copy(sampler, slot);
	if (has(group, slot))
		queue_rest(group);
}

/* The thread is no more, or its program: the last moment for its sample, if that can still be named. */
static void drop(struct sampler *sampler, const struct sprof_event *event)
{
	struct slot *slot = event->thread ? slot_of(sampler, event->thread) : NULL;

	if (event->thread && event->thread == sampler->spare.thread)
		pay_spare(sampler);
	if (!slot)
		return;
	if (slot->phase == SLOT_COPIED && event->kind == SPROF_EVENT_ENDED &&
		slot->thread->process->maps_read_ns)
		sprof_stopped_finish(sampler, slot);
	else if (slot->phase == SLOT_COPIED)
		sampler->quality->samples_lost++;
	slot->phase = SLOT_GONE;
	slot->awaited = false;
	slot->thread = NULL;
}

/* False: nothing more is to be waited for. */
static bool take(struct sampler *sampler, const struct group *group,
	const struct sprof_event *event)
{
	if (event->kind == SPROF_EVENT_STOPPED) {
		take_stop(sampler, group, event->thread);
		return true;
	}
	if (event->kind == SPROF_EVENT_ENDED || event->kind == SPROF_EVENT_EXEC)
		drop(sampler, event);
	sprof_sampler_event(sampler, event);
	return event->kind != SPROF_EVENT_TIMEOUT && event->kind != SPROF_EVENT_EMPTY;
}

/* What has not come by now comes when it can. */
static void give_up(const struct group *group)
{
	queue_rest(group);
	for (struct slot *slot = group->first; slot < group->last; slot++)
		slot->awaited = false;
}

/* Where it is not seen to stop at once, it may have come to our own CPU, and wait there for us to sleep. */
static void await_near(struct sampler *sampler, const struct group *group)
{
	struct slot *slot = group->first;
	struct sampling *sampling = slot->thread->sampling;
	struct sprof_event event = sprof_target_spin(
		sampler->parts->target, slot->thread, slot->requested_ns + SPIN_NS);

	if (event.kind != SPROF_EVENT_TIMEOUT) {
		take(sampler, group, &event);
		return;
	}
	sampling->cpu_ns = 0;
	queue_rest(group);
}

/*
 * One of them has the CPU, and stops as soon as we sleep; how long the others are waited for is the
 * tick's patience, of which each CPU gets a little. (The first wait is never long, and all the same has
 * a far end: a timer that is sooner than the kernel's own has to be set in hardware, which takes as long
 * as the stop.)
 */
static uint64_t deadline_of(const struct sampler *sampler, const struct group *group)
{
	uint64_t now = sprof_clock_now_ns();
	bool any = false;

	for (const struct slot *slot = group->first; slot < group->last; slot++)
		any |= slot->phase == SLOT_ASKED;
	if (any || sampler->closing || sampler->options->once)
		return now + PATIENCE_NS;
	if (sampler->stop_deadline_ns > now + LEAST_PATIENCE_NS)
		return sampler->stop_deadline_ns;
	return now + LEAST_PATIENCE_NS;
}

/* Stops the threads of the group; some may come only while those of the next CPU are waited for. */
static void collect(struct sampler *sampler, const struct group *group)
{
	struct sprof_target *target = sampler->parts->target;

	request(group);
	if (group->first->near && group->first->awaited)
		await_near(sampler, group);
	while (is_awaited(group)) {
		struct sprof_event event = sprof_target_wait(target, deadline_of(sampler, group));

		if (!take(sampler, group, &event))
			break;
	}
	give_up(group);
}

static int by_cpu(const void *one, const void *other)
{
	const struct slot *a = one, *b = other;

	return (a->distance > b->distance) - (a->distance < b->distance);
}

/* From the CPU we are on, upwards and round. */
static void order_by_cpu(struct sampler *sampler)
{
	int here = sched_getcpu();

	for (size_t i = 0; i < sampler->slot_count; i++) {
		struct slot *slot = &sampler->slots[i];

		slot->distance = (unsigned)(slot->before.cpu - here) % CPU_SETSIZE;
	}
	qsort(sampler->slots, sampler->slot_count, sizeof(*sampler->slots), by_cpu);
}

static void find_busy(const struct sampler *sampler, cpu_set_t *ret)
{
	CPU_ZERO(ret);
	for (size_t i = 0; i < sampler->slot_count; i++) {
		int cpu = sampler->slots[i].before.cpu;

		if (cpu >= 0 && cpu < CPU_SETSIZE)
			CPU_SET((size_t)cpu, ret);
	}
}

static bool is_pinned(const struct slot *slot)
{
	const struct sampling *sampling = slot->thread->sampling;

	return sampling->pinned;
}

static bool are_all_pinned(const struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->slot_count; i++) {
		if (!is_pinned(&sampler->slots[i]))
			return false;
	}
	return true;
}

/*
 * The threads of one CPU are stopped together, from there; a single one also from a CPU that none of
 * them ran on: unless it is pinned, for then the kernel can't wake it on the CPU that we left for it.
 */
static void take_by_cpu(struct sampler *sampler)
{
	struct slot *end = sampler->slots + sampler->slot_count;
	struct group group = {sampler->slots, sampler->slots};
	cpu_set_t busy;

	find_busy(sampler, &busy);
	if (!are_all_pinned(sampler))
		sprof_hop_off(&sampler->hop, &busy);
	order_by_cpu(sampler);
	for (; group.first < end; group.first = group.last) {
		struct slot *slot = group.first;

		while (group.last < end && group.last->before.cpu == slot->before.cpu)
			group.last++;
		slot->near = group.last - group.first == 1 && slot->phase == SLOT_PLANNED &&
			!is_pinned(slot) && !CPU_ISSET((size_t)sched_getcpu(), &busy);
		if (!slot->near)
			sprof_hop_to(&sampler->hop, slot->before.cpu);
		collect(sampler, &group);
	}
}

void sprof_stops_take(struct sampler *sampler)
{
	uint64_t patience = sampler->schedule.period / 4;
	size_t count = sampler->slot_count;

	if (!count)
		return;
	sampler->stop_deadline_ns = sprof_clock_now_ns() +
		(patience < PATIENCE_NS ? patience : PATIENCE_NS);
	take_by_cpu(sampler);
	for (size_t i = 0; i < count; i++)
		sprof_stopped_finish(sampler, &sampler->slots[i]);
	pay_spare(sampler);
	/* A late peek may have asked for a stop, for which this tick has no time any more. */
	sampler->quality->samples_lost += sampler->slot_count - count;
	sampler->slot_count = 0;
}

/* Its tick has no sample of it: the stop came too late, and a peek did not do. */
static bool is_lost(const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	return sampling && sampling->lost;
}

static void take_late(struct sampler *sampler, struct slot *slot, bool lost)
{
	sprof_standstill_copy(sampler, slot);
	if (lost && slot->phase == SLOT_COPIED) {
		sprof_stopped_finish(sampler, slot);
		sampler->quality->samples_lost--;
		slot->thread = NULL;
	}
	pay_spare(sampler);
	sprof_waits_flush(sampler, NULL);
}

void sprof_stops_take_late(struct sampler *sampler, struct sprof_thread *thread)
{
	uint64_t tick_ns = sampler->tick_ns;
	bool lost = is_lost(thread);
	struct slot *slot = lost || is_owed(thread) ? use_spare(sampler, thread) : NULL;

	if (!slot) {
		let_go(sampler, thread);
		return;
	}
	sampler->tick_ns = sprof_clock_now_ns();
	take_late(sampler, slot, lost);
	sampler->tick_ns = tick_ns;
}

void sprof_stops_finish(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->slot_capacity; i++)
		free(sampler->slots[i].buffer.bytes);
	free(sampler->slots);
	free(sampler->spare.buffer.bytes);
}

static bool is_stop_outstanding(const struct sampler *sampler)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(sampler->parts->target, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->phase == SPROF_THREAD_INTERRUPTED)
			return true;
	}
	return false;
}

void sprof_stops_drain(struct sampler *sampler)
{
	uint64_t deadline = sprof_clock_now_ns() + LAST_PATIENCE_NS;

	/* A thread that is let go by the kernel with our interrupt on its way would see the EINTR. */
	while (is_stop_outstanding(sampler)) {
		struct sprof_event event = sprof_target_wait(sampler->parts->target, deadline);

		if (event.kind == SPROF_EVENT_TIMEOUT || event.kind == SPROF_EVENT_EMPTY)
			return;
		sprof_sampler_event(sampler, &event);
	}
}
