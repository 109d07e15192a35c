/*
 * Stops threads: requests the stops of all threads of a CPU first, then copies each thread and lets
 * it continue as soon as it stops. Threads are observed when the last one runs again. Chooses which
 * threads to stop and how long to wait. order.c chooses the order and the CPU; standstill.c handles
 * a stopped thread. Does not walk stacks or handle sleepers: those are missed.
 */
#include "sampler/stop/stops.h"

#include <sched.h>

#include "base/clock.h"
#include "sampler/loop/schedule.h"
#include "sampler/sampled.h"
#include "sampler/stack/mappings.h"
#include "sampler/stop/order.h"
#include "sampler/timer/call-places.h"

enum {
	SPIN_NS = 50 * 1000, /* a thread running on a CPU has stopped by then */
	LAST_PATIENCE_NS = SPROF_NS_PER_S,
	/*
	 * How long to wait for the stop of a running thread: LATE_NS, plus LATER_NS for each
	 * waiting thread. Threads of one CPU are stopped together, as moving to another CPU costs
	 * more than LATER_NS.
	 */
	LATE_NS = 100 * 1000,
	LATER_NS = 20 * 1000,
	/*
	 * a thread naps if it gets a CPU more often than once in NAP_NS, and FEW_TIMESLICES by
	 * chance
	 */
	NAP_NS = 2 * SPROF_NS_PER_MS,
	FEW_TIMESLICES = 4,
};

void sprof_stops_begin(struct stops *stops, const struct source_tick *tick)
{
	stops->tick = *tick;
	stops->patience = (struct patience){0};
	stops->asked = 0;
}

bool sprof_stops_ask(struct stops *stops, const struct ask *ask)
{
	struct sampled *sampled = ask->thread->sampling;

	stops->asked += sampled->asked_ns != stops->tick.ns;
	sampled->asked_ns = stops->tick.ns;
	sprof_mappings_begin(stops->run->world, ask->thread->process);
	if (stops->run->options->once)
		sprof_copy_plan_expect_all(&sampled->copy);
	if (!sprof_slots_add(&stops->slots, ask) ||
		!sprof_slots_prepare(&stops->slots, stops->run->world))
		return false;
	if (stops->slots.count == 1)
		stops->slots.since_ns = now_of(stops->run);
	return true;
}

bool sprof_stops_are_due(const struct stops *stops)
{
	const struct slots *slots = &stops->slots;

	return slots->count &&
		now_of(stops->run) > slots->since_ns + LATE_NS + slots->count * LATER_NS;
}

/* The thread ran at the look. A stop must not break off a call that it has slept in since. */
static bool sleeps_by_now(const struct sprof_world *world, struct sprof_thread *thread)
{
	struct sprof_proc_syscall call;
	struct sprof_proc_stat stat;

	if (thread->process->denied)
		return world->read_stat(world->data, thread, &stat) && stat.state == 'S';
	return world->read_syscall(world->data, thread, &call) &&
		call.kind == SPROF_PROC_SYSCALL_INSIDE;
}

static void request(const struct run *run, struct slot *slot)
{
	/* It may be leaving by now: that stop is its last one. */
	if (slot->ask.thread->phase != SPROF_THREAD_RUNNING &&
		slot->ask.thread->phase != SPROF_THREAD_LISTENING) {
		slot->phase = SLOT_GONE;
		return;
	}
	if (sleeps_by_now(run->world, slot->ask.thread)) {
		slot->phase = SLOT_ASLEEP;
		return;
	}
	slot->requested_ns = now_of(run);
	slot->awaited = run->world->interrupt(run->world->data, slot->ask.thread);
	slot->phase = slot->awaited ? SLOT_ASKED : SLOT_GONE;
}

/* Threads asked in an earlier tick stop when they can. */
static void request_all(const struct run *run, const struct slot_group *group)
{
	for (struct slot *slot = group->first; slot < group->last; slot++) {
		if (slot->phase == SLOT_PLANNED)
			request(run, slot);
	}
}

/*
 * An interrupt from our CPU would mostly find the thread where it enters the kernel, and the
 * samples would say that it is always there. On its own CPU, a timer interrupts it anywhere. A tick
 * that has already taken long does without, because the other threads come first.
 */
static bool enters_often(const struct stops *stops, const struct slot *slot)
{
	const struct sampled_process *process = slot->ask.thread->process->sampling;

	return process->enters_until_ns > stops->tick.ns &&
		!sprof_schedule_is_long(stops->tick.ns, stops->tick.period_ns, now_of(stops->run));
}

/*
 * A thread that sleeps for less than a ms at a time would be asleep when our timer fires, which may
 * end its sleep: a timer may fire early, together with another one (timer slack, prctl(2)). Without
 * schedstat, such naps can't be seen.
 */
static bool naps(const struct run *run, struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;
	const uint64_t slept_ns = sampled->sleep.seen_ns;
	struct sprof_proc_schedstat now;

	if (!slept_ns || !run->world->read_schedstat(run->world->data, thread, &now))
		return false;
	return now.timeslices - sampled->sleep.timeslices >
		FEW_TIMESLICES + (now_of(run) - slept_ns) / NAP_NS;
}

/*
 * Asks from the thread's CPU, which the thread gets back when we leave: it stops before it does
 * anything.
 */
static void request_there(struct stops *stops, const struct slot_group *group)
{
	const int here = sched_getcpu(), there = group->first->ask.cpu.number;

	sprof_hop_to(&stops->hop, there);
	if (sched_getcpu() == there)
		sprof_hop_wait_for_timer();
	request_all(stops->run, group);
	sprof_hop_to(&stops->hop, here);
}

/*
 * Waiting for a CPU that another program has is no pause of ours. The length of that wait is not
 * known, so on contended CPUs the reported pause is a lower bound.
 */
static bool has_queued(
	const struct run *run, const struct slot_group *group, const struct slot *slot)
{
	return group->contended && slot->phase == SLOT_ASKED &&
		now_of(run) > slot->requested_ns + SPIN_NS;
}

/* Turns the stop into an observation. */
static void observe(const struct stops *stops, struct slot *slot, uint64_t time_ns, bool is_late)
{
	const struct sampled *sampled = slot->ask.thread->sampling;
	struct observation observation = {
		.thread = slot->ask.thread,
		.by = OBSERVED_BY_STOP,
		.time_ns = time_ns,
		.state = sprof_slot_state(slot),
		.is_late = is_late,
		.cpu = (uint32_t)(sampled->cpu.number + 1),
		.snapshot = &slot->snapshot,
		.call = sprof_call_at(&slot->snapshot.regs, slot->snapshot.regs.system_call),
		.look = slot->look,
		.reading = slot->has_reading ? &slot->reading : NULL,
	};

	if (slot->near && observation.state != SPROF_STATE_USER)
		sprof_sampled_process_entered(slot->ask.thread->process->sampling, stops->tick.ns);
	sprof_book_observation(stops->book, &observation);
}

static bool is_late(const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	return sampled && sampled->is_late;
}

static struct slot *use_spare(struct stops *stops, struct sprof_thread *thread)
{
	const struct ask ask = {
		.thread = thread,
		.cpu = {.number = -1},
		.wants_figures = sprof_book_wants(stops->book, thread, now_of(stops->run)),
	};

	return sprof_slots_use_spare(&stops->slots, &ask);
}

/*
 * A late stop, which is not waited for any more: of an earlier tick, or of an earlier part of this
 * tick. The sample's time is that of the stop, because this tick may have its own sample.
 */
static void take_late(struct stops *stops, struct sprof_thread *thread, uint64_t time_ns)
{
	struct slot *slot = is_late(thread) ? use_spare(stops, thread) : NULL;

	if (!slot) {
		sprof_standstill_end(stops->run, &stops->hop, thread);
		return;
	}
	sprof_standstill_copy(stops->run, &stops->hop, &stops->pauses, slot);
	if (slot->phase == SLOT_COPIED)
		observe(stops, slot, time_ns ? time_ns : now_of(stops->run), true);
	slot->ask.thread = NULL;
}

/*
 * The time of a late stop in a tick. Before the thread has its turn: just before the tick, whose
 * own sample follows. 0: the moment of the stop.
 */
static uint64_t moment_of(const struct stops *stops, const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	return sampled && sampled->turn_ns != stops->tick.ns ? stops->tick.ns - 1 : 0;
}

void sprof_stops_take_late(struct stops *stops, struct sprof_thread *thread)
{
	take_late(stops, thread, 0);
}

static void take_stop(
	struct stops *stops, const struct slot_group *group, struct sprof_thread *thread)
{
	struct slot *slot = sprof_slots_find(&stops->slots, thread);

	if (!slot) {
		take_late(stops, thread, moment_of(stops, thread));
		return;
	}
	if (sprof_slot_is_copied(slot)) {
		sprof_standstill_end(stops->run, &stops->hop, thread);
		return;
	}
	if (has_queued(stops->run, group, slot))
		slot->phase = SLOT_QUEUED;
	sprof_standstill_copy(stops->run, &stops->hop, &stops->pauses, slot);
	if (sprof_slot_group_has(group, slot))
		sprof_slot_group_queue_rest(group);
}

/* Frames of a program from before an exec can't be named any more. */
static bool can_be_named(const struct sprof_thread *thread, enum sprof_event_kind kind)
{
	return kind == SPROF_EVENT_ENDED &&
		(thread->process->maps.count || thread->process->denied);
}

/* The thread or its program is gone: the last moment for its sample. */
static void drop(struct stops *stops, const struct sprof_event *event)
{
	struct slot *slot = event->thread ? sprof_slots_find(&stops->slots, event->thread) : NULL;

	if (!slot)
		return;
	if (slot->phase == SLOT_COPIED && can_be_named(event->thread, event->kind))
		observe(stops, slot, stops->tick.ns, false);
	slot->phase = SLOT_GONE;
	slot->awaited = false;
	slot->ask.thread = NULL;
}

/* Returns false to stop waiting. */
static bool take(
	struct stops *stops, const struct slot_group *group, const struct sprof_event *event)
{
	if (event->kind == SPROF_EVENT_STOPPED) {
		take_stop(stops, group, event->thread);
		return true;
	}
	if (event->kind == SPROF_EVENT_ENDED || event->kind == SPROF_EVENT_EXEC)
		drop(stops, event);
	stops->listener.event(stops->listener.data, event);
	return event->kind != SPROF_EVENT_TIMEOUT && event->kind != SPROF_EVENT_EMPTY;
}

/* If the stop is not seen at once, the thread may be on our own CPU, and wait for us to sleep. */
static void await_near(struct stops *stops, const struct slot_group *group)
{
	const struct sprof_world *world = stops->run->world;
	struct slot *slot = group->first;
	struct sprof_event event =
		world->spin(world->data, slot->ask.thread, slot->requested_ns + SPIN_NS);
	struct sampled *sampled;

	if (event.kind != SPROF_EVENT_TIMEOUT) {
		take(stops, group, &event);
		return;
	}
	sampled = slot->ask.thread->sampling;
	sampled->cpu.seen_ns = 0;
	sprof_slot_group_queue_rest(group);
}

/*
 * If no other program may have the CPU, one of the group's threads has it, and stops as soon as we
 * sleep. A tick that is the last for some time waits as long for all of them.
 */
static uint64_t deadline_of(struct stops *stops, const struct slot_group *group)
{
	bool soon = sprof_slot_group_is_asked(group) && !group->contended;

	return sprof_patience_deadline(
		&stops->patience, now_of(stops->run), soon || stops->tick.thorough);
}

/*
 * Stops the threads of the group; some may come only while the next CPU's are waited for. Only a
 * stop extends the wait: a target may have endless other events, and a thread may take seconds to
 * stop.
 */
static void collect_group(struct stops *stops, const struct slot_group *group)
{
	const struct sprof_world *world = stops->run->world;
	uint64_t deadline;

	if (group->first->may_visit && enters_often(stops, group->first) &&
		!naps(stops->run, group->first->ask.thread))
		request_there(stops, group);
	else
		request_all(stops->run, group);
	if (group->first->near && group->first->awaited)
		await_near(stops, group);
	deadline = deadline_of(stops, group);
	while (sprof_slot_group_is_awaited(group)) {
		struct sprof_event event = world->next_event(world->data, deadline);

		if (!take(stops, group, &event))
			break;
		if (event.kind == SPROF_EVENT_STOPPED)
			deadline = deadline_of(stops, group);
		else if (now_of(stops->run) >= deadline)
			break;
	}
	sprof_patience_end(&stops->patience, now_of(stops->run));
	sprof_slot_group_give_up(group);
}

/* The target's own threads are at least those asked for: the tick may find more later. */
static bool is_crowded(const struct stops *stops)
{
	const struct sprof_world *world = stops->run->world;

	return sprof_hop_is_crowded(&stops->hop, world->count_runnable(world->data), stops->asked);
}

static void wait_begins(struct stops *stops)
{
	struct patience *patience = &stops->patience;
	uint64_t now = now_of(stops->run);

	if (patience->deadline_ns)
		sprof_patience_go_on(patience, now);
	else
		sprof_patience_begin(patience, now, stops->tick.period_ns, stops->tick.thorough);
}

void sprof_stops_collect(struct stops *stops)
{
	const size_t count = stops->slots.count;
	struct stop_order order;

	if (!count)
		return;
	wait_begins(stops);
	sprof_stop_order_begin(&order, &stops->slots, is_crowded(stops), &stops->hop);
	while (sprof_stop_order_next(&order))
		collect_group(stops, &order.group);
	for (size_t i = 0; i < count; i++) {
		struct slot *slot = &stops->slots.items[i];

		if (slot->phase == SLOT_COPIED)
			observe(stops, slot, stops->tick.ns, false);
		else if (slot->phase != SLOT_GONE)
			stops->listener.missed(stops->listener.data, slot->ask.thread);
	}
	stops->slots.count = 0;
}

static bool is_stop_outstanding(const struct sprof_world *world)
{
	struct sprof_thread **threads;
	size_t count;

	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->phase == SPROF_THREAD_INTERRUPTED)
			return true;
	}
	return false;
}

/* A thread released with our interrupt still pending would see the EINTR. */
void sprof_stops_drain(struct stops *stops)
{
	const struct sprof_world *world = stops->run->world;
	uint64_t deadline = now_of(stops->run) + LAST_PATIENCE_NS;

	while (is_stop_outstanding(world)) {
		struct sprof_event event = world->next_event(world->data, deadline);

		if (event.kind == SPROF_EVENT_TIMEOUT || event.kind == SPROF_EVENT_EMPTY)
			return;
		if (event.kind == SPROF_EVENT_STOPPED)
			sprof_stops_take_late(stops, event.thread);
		else
			stops->listener.event(stops->listener.data, &event);
	}
}

void sprof_stops_finish(struct stops *stops)
{
	sprof_slots_finish(&stops->slots);
	sprof_hop_finish(&stops->hop);
	sprof_histogram_finish(&stops->pauses);
}

void sprof_stops_init(struct stops *stops, struct book *book, const struct stops_listener *listener)
{
	*stops = (struct stops){.run = book->run, .book = book, .listener = *listener};
	sprof_hop_init(&stops->hop);
}
