/*
 * Stops threads: requests the stops of all threads of a CPU first, then copies each thread and lets
 * it continue as soon as it stops. Threads are observed when the last one runs again. Chooses which
 * threads to stop and how long to wait. order.c chooses the order and the CPU; standstill.c handles
 * a stopped thread. Does not walk stacks or handle sleepers: those are missed.
 */
#include "sampler/stop/stops.h"

#include <sched.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "sampler/loop/schedule.h"
#include "sampler/timer/kernel.h"

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
	/* for how long a process is assumed to enter the kernel often */
	ENTERS_NS = 200 * SPROF_NS_PER_MS,
	/* for how long a thread whose CPU we took as the tick began may have waited before it */
	OURS_NS = 50 * 1000,
};

bool sprof_stops_ask(struct stops *stops, const struct ask *ask)
{
	const struct run *run = stops->run;
	struct sampled *sampled = ask->thread->sampling;

	stops->asked += sampled->asked_ns != run->tick.ns;
	sampled->asked_ns = run->tick.ns;
	if (run->options->once)
		sprof_copy_plan_expect_all(ask->thread);
	if (!sprof_slots_add(&stops->slots, run->world, ask))
		return false;
	if (stops->slots.count == 1)
		stops->slots.since_ns = now_of(run);
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
		return world->read_stat(thread, &stat) && stat.state == 'S';
	return world->read_syscall(thread, &call) && call.kind == SPROF_PROC_SYSCALL_INSIDE;
}

static void note_request(const struct run *run, struct sprof_thread *thread)
{
	struct ledger_look *requested = &thread->sampling->requested;

	requested->time_ns = now_of(run);
	if (!run->world->read_schedstat(thread, &requested->figures))
		requested->time_ns = 0;
}

/*
 * Threads asked in an earlier tick stop when they can. All figures are read first: no thread stands
 * still for another one's.
 */
static void request_all(const struct run *run, const struct slot_group *group)
{
	for (const struct slot *slot = group->first; slot < group->last; slot++) {
		if (slot->phase == SLOT_PLANNED)
			note_request(run, slot->ask.thread);
	}
	for (struct slot *slot = group->first; slot < group->last; slot++) {
		struct sprof_thread *thread = slot->ask.thread;

		if (slot->phase != SLOT_PLANNED)
			continue;
		/* It may be leaving by now: that stop is its last one. */
		if (thread->phase != SPROF_THREAD_RUNNING &&
			thread->phase != SPROF_THREAD_LISTENING) {
			slot->phase = SLOT_GONE;
		} else if (sleeps_by_now(run->world, thread)) {
			slot->phase = SLOT_ASLEEP;
		} else {
			slot->requested_ns = now_of(run);
			slot->awaited = run->world->interrupt(thread);
			slot->phase = slot->awaited ? SLOT_ASKED : SLOT_GONE;
		}
	}
}

/*
 * A thread that sleeps for less than a ms at a time would be asleep when our timer fires, which may
 * end its sleep: a timer may fire early, together with another one (timer slack, prctl(2)). Without
 * schedstat, such naps can't be seen.
 */
static bool naps(const struct run *run, struct sprof_thread *thread)
{
	const struct known_sleep *sleep = &thread->sampling->sleep;
	struct sprof_proc_schedstat now;

	return sleep->seen_ns && run->world->read_schedstat(thread, &now) &&
		now.timeslices - sleep->timeslices >
		FEW_TIMESLICES + (now_of(run) - sleep->seen_ns) / NAP_NS;
}

/*
 * An interrupt from our CPU would mostly find the thread where it enters the kernel, and the
 * samples would say that it is always there. On its own CPU, a timer interrupts it anywhere. A tick
 * that has already taken long does without, because the other threads come first.
 */
static bool is_visited(const struct stops *stops, const struct slot *slot)
{
	const struct run *run = stops->run;
	const struct tick *tick = &run->tick;

	return slot->may_visit &&
		slot->ask.thread->process->sampling->entered_ns + ENTERS_NS > tick->ns &&
		!sprof_schedule_is_long(tick->ns, tick->period_ns, now_of(run)) &&
		!naps(run, slot->ask.thread);
}

/*
 * A thread that was in the run queue when its stop was requested, and stops as soon as it has a
 * CPU, has run just to leave the call that it had slept in, or where it had lost its CPU. Its stop
 * is no evidence of where it spent the time before: a server that often sleeps would seem to work
 * in epoll_wait(2). A thread that lost the CPU to us has not waited since before the request.
 */
static void judge_queue(const struct slot *slot, bool is_late, struct observation *observation)
{
	const struct ledger_look *now = &slot->look;
	const struct ledger_look *then = &slot->ask.thread->sampling->requested;
	uint64_t queue_ns;

	if (!now->time_ns || !then->time_ns || now->figures.timeslices == then->figures.timeslices)
		return;
	queue_ns = sprof_minus(now->figures.runq_ns, then->figures.runq_ns);
	observation->ran_ns = sprof_minus(now->figures.cpu_ns, then->figures.cpu_ns);
	observation->was_queued =
		is_late || observation->ran_ns + queue_ns > now->time_ns - then->time_ns + OURS_NS;
}

/* Turns the stop into an observation. `is_late`: it has missed its tick. */
static void observe(const struct stops *stops, struct slot *slot, uint64_t time_ns, bool is_late)
{
	const struct sprof_regs *regs = &slot->snapshot.regs;
	struct sprof_thread *thread = slot->ask.thread;
	struct observation observation = {
		.thread = thread,
		.by = OBSERVED_BY_STOP,
		.time_ns = time_ns,
		.state = SPROF_STATE_USER,
		.cpu = (uint32_t)(thread->sampling->cpu.number + 1),
		.snapshot = &slot->snapshot,
		.call = sprof_call_at(regs, regs->system_call),
		.look = slot->look,
		.reading = slot->has_reading ? &slot->reading : NULL,
	};

	judge_queue(slot, is_late, &observation);
	/* It ran at the look, and may have gone to sleep before its stop. */
	if (regs->system_call >= 0)
		observation.state =
			sprof_regs_was_waiting(regs) ? SPROF_STATE_SLEEP : SPROF_STATE_SYS;
	if (slot->near && observation.state != SPROF_STATE_USER)
		thread->process->sampling->entered_ns = stops->run->tick.ns;
	sprof_book_observation(stops->book, &observation);
}

void sprof_stops_take_late(struct stops *stops, struct sprof_thread *thread, uint64_t time_ns)
{
	const struct run *run = stops->run;
	const struct sampled *sampled = thread->sampling;
	struct slot *slot = NULL;

	if (sampled && sampled->is_late)
		slot = sprof_slots_use_spare(&stops->slots,
			&(struct ask){
				.thread = thread,
				.cpu = {.number = -1},
				.wants_figures =
					sprof_charge_is_due(stops->book, sampled, now_of(run)),
			});
	if (!slot) {
		sprof_standstill_end(stops, thread);
		return;
	}
	sprof_standstill_copy(stops, slot);
	if (slot->phase == SLOT_COPIED)
		observe(stops, slot, time_ns ? time_ns : now_of(run), true);
	slot->ask.thread = NULL;
}

static void take_stop(
	struct stops *stops, const struct slot_group *group, struct sprof_thread *thread)
{
	const struct run *run = stops->run;
	struct slot *slot = sprof_slots_find(&stops->slots, thread);

	if (!slot) {
		/* Before it has its turn: just before the tick, whose own sample follows. */
		const bool is_before =
			thread->sampling && thread->sampling->turn_ns != run->tick.ns;

		sprof_stops_take_late(stops, thread, is_before ? run->tick.ns - 1 : 0);
		return;
	}
	if (slot->phase == SLOT_COPIED || slot->phase == SLOT_FAILED) {
		sprof_standstill_end(stops, thread);
		return;
	}
	/*
	 * Waiting for a CPU that another program has is no pause of ours. The length of that wait
	 * is not known, so on contended CPUs the reported pause is a lower bound.
	 */
	if (group->contended && slot->phase == SLOT_ASKED &&
		now_of(run) > slot->requested_ns + SPIN_NS)
		slot->phase = SLOT_QUEUED;
	sprof_standstill_copy(stops, slot);
	/* It has had the CPU. The others wait for it in the run queue: no pause of ours. */
	if (sprof_slot_group_has(group, slot))
		sprof_slot_group_queue_rest(group);
}

/* Returns false to stop waiting. */
static bool take(
	struct stops *stops, const struct slot_group *group, const struct sprof_event *event)
{
	const bool has_ended = event->kind == SPROF_EVENT_ENDED;
	struct slot *slot;

	if (event->kind == SPROF_EVENT_STOPPED) {
		take_stop(stops, group, event->thread);
		return true;
	}
	slot = event->thread ? sprof_slots_find(&stops->slots, event->thread) : NULL;
	/* The thread or its program is gone: the last moment for its sample. */
	if (slot && (has_ended || event->kind == SPROF_EVENT_EXEC)) {
		const struct sprof_process *process = event->thread->process;

		/* Frames of a program from before an exec can't be named any more. */
		if (slot->phase == SLOT_COPIED && has_ended &&
			(process->maps.count || process->denied))
			observe(stops, slot, stops->run->tick.ns, false);
		slot->phase = SLOT_GONE;
		slot->awaited = false;
		slot->ask.thread = NULL;
	}
	stops->on_event(stops->data, event);
	return event->kind != SPROF_EVENT_TIMEOUT && event->kind != SPROF_EVENT_EMPTY;
}

/*
 * If no other program may have the CPU, one of the group's threads has it, and stops as soon as we
 * sleep. A tick that is the last for some time waits as long for all of them.
 */
static uint64_t deadline_of(struct stops *stops, const struct slot_group *group)
{
	bool soon = sprof_slot_group_is_asked(group) && !group->contended;

	return sprof_patience_deadline(
		&stops->patience, now_of(stops->run), soon || is_thorough(stops->run));
}

/*
 * Stops the threads of the group; some may come only while the next CPU's are waited for. Only a
 * stop extends the wait: a target may have endless other events, and a thread may take seconds to
 * stop.
 */
static void collect_group(struct stops *stops, const struct slot_group *group)
{
	const struct sprof_world *world = stops->run->world;
	const int here = sched_getcpu();
	struct slot *first = group->first;
	const bool visits = is_visited(stops, first);
	struct sprof_event event;
	uint64_t deadline;

	if (visits) {
		sprof_hop_to(&stops->hop, first->ask.cpu.number);
		if (sched_getcpu() == first->ask.cpu.number)
			sprof_hop_wait_for_timer();
	}
	request_all(stops->run, group);
	/* The thread gets its CPU back when we leave: it stops before it does anything. */
	if (visits)
		sprof_hop_to(&stops->hop, here);
	if (first->near && first->awaited) {
		event = world->spin(
			world->target, first->ask.thread, first->requested_ns + SPIN_NS);
		if (event.kind == SPROF_EVENT_TIMEOUT) {
			/* It may be on our own CPU, and wait for us to sleep. */
			first->ask.thread->sampling->cpu.seen_ns = 0;
			sprof_slot_group_queue_rest(group);
		} else {
			take(stops, group, &event);
		}
	}
	deadline = deadline_of(stops, group);
	while (sprof_slot_group_is_awaited(group)) {
		event = world->next_event(world->target, deadline);
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

void sprof_stops_collect(struct stops *stops)
{
	const struct run *run = stops->run;
	const struct sprof_world *world = run->world;
	struct stop_order order;
	bool is_crowded;

	if (!stops->slots.count)
		return;
	sprof_patience_begin(&stops->patience, now_of(run), run->tick.period_ns, is_thorough(run));
	/* The target's own threads are at least those asked for: the tick may find more later. */
	is_crowded = sprof_hop_is_crowded(
		&stops->hop, world->count_runnable(world->loadavg_file), stops->asked);
	sprof_stop_order_begin(&order, &stops->slots, is_crowded, &stops->hop);
	while (sprof_stop_order_next(&order))
		collect_group(stops, &order.group);
	for (size_t i = 0; i < stops->slots.count; i++) {
		if (stops->slots.items[i].phase == SLOT_COPIED)
			observe(stops, &stops->slots.items[i], run->tick.ns, false);
	}
}

static bool is_stop_outstanding(const struct run *run)
{
	const struct threads threads = threads_of(run);

	for (size_t i = 0; i < threads.count; i++) {
		if (threads.items[i]->phase == SPROF_THREAD_INTERRUPTED)
			return true;
	}
	return false;
}

/* A thread released with our interrupt still pending would see the EINTR. */
void sprof_stops_drain(struct stops *stops)
{
	const struct sprof_world *world = stops->run->world;
	uint64_t deadline = now_of(stops->run) + LAST_PATIENCE_NS;

	while (is_stop_outstanding(stops->run)) {
		struct sprof_event event = world->next_event(world->target, deadline);

		if (event.kind == SPROF_EVENT_TIMEOUT || event.kind == SPROF_EVENT_EMPTY)
			return;
		if (event.kind == SPROF_EVENT_STOPPED)
			sprof_stops_take_late(stops, event.thread, 0);
		else
			stops->on_event(stops->data, &event);
	}
}

void sprof_stops_finish(struct stops *stops)
{
	sprof_slots_finish(&stops->slots);
	sprof_hop_finish(&stops->hop);
	sprof_histogram_finish(&stops->pauses);
}

void sprof_stops_init(struct stops *stops, struct book *book, void *data,
	void (*on_event)(void *data, const struct sprof_event *event))
{
	*stops = (struct stops){.run = book->run, .book = book, .data = data, .on_event = on_event};
	sprof_hop_init(&stops->hop);
}
