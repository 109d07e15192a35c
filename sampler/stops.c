/*
 * Stopping threads: all of a CPU are asked first, then each is copied and let go as it comes; walking and
 * interning wait until the last one runs again. Knows whom to ask and how long to wait; whose turn it is,
 * and from which CPU, is stop-order.c's, and what is done to a thread that stands still standstill.c's.
 */
#include "sampler/sampler-internal.h"

#include "base/clock.h"
#include "sampler/stop-order.h"

enum {
	SPIN_NS = 50 * 1000, /* a thread that runs on a CPU has stopped by then */
	LAST_PATIENCE_NS = SPROF_NS_PER_S,
	/*
	 * How long a thread that was seen running waits for its stop: LATE_NS, and LATER_NS for each thread that
	 * waits. Threads of one CPU are stopped together, because going to another CPU costs more than LATER_NS.
	 */
	LATE_NS = 100 * 1000,
	LATER_NS = 20 * 1000,
};

void sprof_stops_add(
	struct sampler *sampler, struct sprof_thread *thread, const struct slot_before *before)
{
	struct sampling *sampling = thread->sampling;

	sampler->tick.planned++;
	sprof_mappings_begin(sampler, thread->process);
	if (sampler->options->once)
		sprof_copy_plan_expect_all(&sampling->copy);
	if (thread->process->go)
		sprof_copy_plan_expect_goroutine(&sampling->copy);
	if (!sprof_slots_add(&sampler->slots, thread, before))
		sampler->out_of_memory = true;
	else if (sampler->slots.count == 1)
		sampler->slots.since_ns = sprof_clock_now_ns();
}

bool sprof_stops_are_due(const struct sampler *sampler)
{
	const struct slots *slots = &sampler->slots;

	return slots->count &&
		sprof_clock_now_ns() > slots->since_ns + LATE_NS + slots->count * LATER_NS;
}

/* It ran when it was looked at. A stop must not break off the call that it has gone to sleep in since. */
static bool sleeps_by_now(struct sprof_thread *thread)
{
	struct sprof_proc_syscall call;
	struct sprof_proc_stat stat;

	if (thread->process->denied)
		return sprof_thread_read_stat(thread, &stat) && stat.state == 'S';
	return sprof_thread_read_syscall(thread, &call) && call.kind == SPROF_PROC_SYSCALL_INSIDE;
}

/* Those that were asked in an earlier tick come when they can. */
static void request(const struct slot_group *group)
{
	for (struct slot *slot = group->first; slot < group->last; slot++) {
		if (slot->phase != SLOT_PLANNED)
			continue;
		if (sleeps_by_now(slot->thread)) {
			slot->phase = SLOT_ASLEEP;
			continue;
		}
		slot->requested_ns = sprof_clock_now_ns();
		slot->awaited = sprof_thread_interrupt(slot->thread);
		slot->phase = slot->awaited ? SLOT_ASKED : SLOT_GONE;
	}
}

/*
 * Its own wait for a CPU that another program has is no pause of ours. How much of the time was that can't be
 * told; so where CPUs are contended, the pause is at least what is said.
 */
static bool has_queued(const struct slot_group *group, const struct slot *slot)
{
	return group->contended && slot->phase == SLOT_ASKED &&
		sprof_clock_now_ns() > slot->requested_ns + SPIN_NS;
}

/* Its tick has no sample of it: the stop came too late, and a peek did not do. */
static bool is_lost(const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	return sampling && sampling->lost;
}

/* A stop that nothing waits for any more: the sample of an earlier tick, or of a part of this one that is over. */
static void take_lost(struct sampler *sampler, struct sprof_thread *thread)
{
	struct slot *slot =
		is_lost(thread) ? sprof_slots_use_spare(&sampler->slots, thread) : NULL;

	if (!slot) {
		sprof_standstill_end(thread);
		return;
	}
	sprof_standstill_copy(sampler, slot);
	if (slot->phase == SLOT_COPIED) {
		sprof_stopped_finish(sampler, slot);
		sampler->quality->samples_lost--;
	}
	slot->thread = NULL;
	sprof_samples_flush(sampler, thread);
}

static void take_stop(
	struct sampler *sampler, const struct slot_group *group, struct sprof_thread *thread)
{
	struct slot *slot = sprof_slots_find(&sampler->slots, thread);

	if (!slot) {
		take_lost(sampler, thread);
		return;
	}
	if (sprof_slot_is_copied(slot)) {
		sprof_standstill_end(thread);
		return;
	}
	if (has_queued(group, slot))
		slot->phase = SLOT_QUEUED;
	sprof_standstill_copy(sampler, slot);
	if (sprof_slot_group_has(group, slot))
		sprof_slot_group_queue_rest(group);
}

/* The thread is no more, or its program: the last moment for its sample, if that can still be named. */
static void drop(struct sampler *sampler, const struct sprof_event *event)
{
	struct slot *slot = event->thread ? sprof_slots_find(&sampler->slots, event->thread) : NULL;

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
static bool take(struct sampler *sampler, const struct slot_group *group,
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

static bool is_thorough(const struct sampler *sampler)
{
	return sampler->tick.closing || sampler->options->once;
}

/* Where it is not seen to stop at once, it may have come to our own CPU, and wait there for us to sleep. */
static void await_near(struct sampler *sampler, const struct slot_group *group)
{
	struct slot *slot = group->first;
	struct sampling *sampling = slot->thread->sampling;
	struct sprof_event event = sprof_target_spin(
		sampler->parts->target, slot->thread, slot->requested_ns + SPIN_NS);

	if (event.kind != SPROF_EVENT_TIMEOUT) {
		take(sampler, group, &event);
		return;
	}
	sampling->cpu.seen_ns = 0;
	sprof_slot_group_queue_rest(group);
}

/*
 * One of them has the CPU, if no other program may have it, and stops as soon as we sleep. A tick that is the
 * last for some time waits as long for all of them.
 */
static uint64_t deadline_of(struct sampler *sampler, const struct slot_group *group)
{
	bool soon = sprof_slot_group_is_asked(group) && !group->contended;

	return sprof_patience_deadline(&sampler->tick.patience, sprof_clock_now_ns(),
		soon || is_thorough(sampler));
}

/*
 * Stops the threads of the group; some may come only while those of the next CPU are waited for. Only a
 * stop is a reason to wait on: a target may have other events without end, and a thread may take seconds
 * to stop.
 */
static void collect(struct sampler *sampler, const struct slot_group *group)
{
	struct sprof_target *target = sampler->parts->target;
	uint64_t deadline;

	request(group);
	if (group->first->near && group->first->awaited)
		await_near(sampler, group);
	deadline = deadline_of(sampler, group);
	while (sprof_slot_group_is_awaited(group)) {
		struct sprof_event event = sprof_target_wait(target, deadline);

		if (!take(sampler, group, &event))
			break;
		if (event.kind == SPROF_EVENT_STOPPED)
			deadline = deadline_of(sampler, group);
		else if (sprof_clock_now_ns() >= deadline)
			break;
	}
	sprof_patience_end(&sampler->tick.patience, sprof_clock_now_ns());
	sprof_slot_group_give_up(group);
}

/* As far as is known: more may be found later in the tick. */
static size_t count_running(const struct tick *tick)
{
	return tick->running > tick->planned ? tick->running : tick->planned;
}

static void take_by_cpu(struct sampler *sampler)
{
	struct stop_order order;

	sprof_stop_order_begin(
		&order, &sampler->slots, count_running(&sampler->tick), &sampler->hop);
	while (sprof_stop_order_next(&order))
		collect(sampler, &order.group);
}

void sprof_stops_take(struct sampler *sampler)
{
	struct patience *patience = &sampler->tick.patience;
	size_t count = sampler->slots.count;

	if (!count)
		return;
	if (patience->deadline_ns)
		sprof_patience_go_on(patience, sprof_clock_now_ns());
	else
		sprof_patience_begin(patience, sprof_clock_now_ns(),
			sampler->pace.schedule.period, is_thorough(sampler));
	take_by_cpu(sampler);
	for (size_t i = 0; i < count; i++)
		sprof_stopped_finish(sampler, &sampler->slots.items[i]);
	sampler->slots.count = 0;
}

void sprof_stops_take_late(struct sampler *sampler, struct sprof_thread *thread)
{
	uint64_t tick_ns = sampler->tick.ns;

	sampler->tick.ns = sprof_clock_now_ns();
	take_lost(sampler, thread);
	sampler->tick.ns = tick_ns;
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
