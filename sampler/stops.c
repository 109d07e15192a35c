/*
 * Stopping threads: all are asked first, then each is copied and let go as it comes. Between a
 * thread's stop and its continuation there are the registers and one copy, nothing else; walking and
 * interning wait until the last one runs again.
 */
#include "sampler/sampler-internal.h"

#include <stdlib.h>
#include <string.h>

#include "attach/restart.h"
#include "base/array.h"
#include "base/clock.h"

/*
 * A thread that has not stopped by then waits for a CPU, or uninterruptibly; the ticks go on, and the
 * first kind is taken when it comes.
 */
enum { PATIENCE_NS = 20 * SPROF_NS_PER_MS, LAST_PATIENCE_NS = SPROF_NS_PER_S };

/* A thread that runs stops within a quarter of that; another has to be waited for. */
enum { SPIN_NS = 50 * 1000 };

/* As long as the stop of a running thread may take on a machine that is not overloaded. */
enum { LATE_NS = SPROF_NS_PER_MS };

/* Room for one more slot, and in it for the thread's stack. */
static struct slot *next_slot(struct sampler *sampler, const struct sprof_thread *thread)
{
	size_t count = sampler->slot_count;

	if (sprof_array_reserve(&sampler->slots, &sampler->slot_capacity, count + 1,
		    sizeof(*sampler->slots)) &&
		sprof_copy_reserve(&sampler->slots[count].buffer, thread->sampling))
		return &sampler->slots[count];
	sampler->out_of_memory = true;
	return NULL;
}

void sprof_stops_add(struct sampler *sampler, struct sprof_thread *thread, const struct slot *what)
{
	struct slot *slot = next_slot(sampler, thread);

	if (!slot)
		return;
	sampler->slot_count++;
	slot->thread = thread;
	slot->stopped = slot->near = slot->paying = false;
	slot->pending = slot->queued = thread->phase == SPROF_THREAD_INTERRUPTED;
	slot->state = what->state;
	slot->timeslices = what->timeslices;
	slot->sp = what->sp;
	slot->pc = what->pc;
	slot->cpu = what->cpu;
}

bool sprof_stops_ask(struct sampler *sampler, struct sprof_thread *thread)
{
	return next_slot(sampler, thread) && sprof_thread_interrupt(thread);
}

static struct slot *slot_of(struct sampler *sampler, const struct sprof_thread *thread)
{
	for (size_t i = 0; i < sampler->slot_count; i++) {
		if (sampler->slots[i].thread == thread)
			return &sampler->slots[i];
	}
	return NULL;
}

/* Asks the threads of the slots to stop, unless they have been asked in an earlier tick. */
static void request(struct slot *first, size_t count)
{
	for (struct slot *slot = first; slot < first + count; slot++) {
		if (!slot->thread || slot->queued)
			continue;
		slot->requested_ns = sprof_clock_now_ns();
		slot->pending = sprof_thread_interrupt(slot->thread);
		if (!slot->pending)
			slot->thread = NULL;
	}
}

static bool is_pending(const struct slot *first, size_t count)
{
	for (const struct slot *slot = first; slot < first + count; slot++) {
		if (slot->pending)
			return true;
	}
	return false;
}

/* A stop that nobody needs any more: nothing of it may be seen but the pause. */
static void let_go(struct sampler *sampler, struct sprof_thread *thread)
{
	struct sprof_regs regs;

	if (sprof_regs_read(thread->tid, &regs))
		sprof_restart_repair(thread->tid, &regs, true);
	sprof_thread_resume(thread);
	sprof_tick_forgive(sampler, thread);
}

/* The only code that runs while the thread stands still. */
static void copy_and_resume(struct sampler *sampler, struct slot *slot)
{
	struct sprof_thread *thread = slot->thread;
	struct sprof_stack_copy ahead = {0};
	uint64_t begin = slot->queued ? sprof_clock_now_ns() : slot->requested_ns;

	slot->pending = false;
	if (slot->near)
		sprof_copy_ahead(thread, &slot->buffer, &ahead);
	slot->stopped = sprof_regs_read(thread->tid, &slot->snapshot.regs);
	if (slot->stopped) {
		sprof_restart_repair(thread->tid, &slot->snapshot.regs, true);
		slot->stopped = sprof_copy_stack(thread, &slot->buffer, &ahead, &slot->snapshot);
	}
	sprof_thread_resume(thread);
	((struct sampling *)thread->sampling)->lost = false;
	sprof_pauses_add(&sampler->pauses, sprof_clock_now_ns() - begin);
	/* Of a thread that has just been stopped the kernel's figures are exact. */
	if (slot->stopped)
		sprof_sampling_charge(sampler, thread);
}

/* Remembers a frame pointer for the rest of this sleep: our stop costs two time slices. */
static void remember_fp(const struct slot *slot, struct sampling *sampling)
{
	const struct sprof_regs *regs = &slot->snapshot.regs;

	sampling->fp_known = slot->state != SPROF_STATE_USER;
	sampling->fp = regs->values[SPROF_REG_FP];
	sampling->fp_sp = regs->values[SPROF_REG_SP];
	sampling->fp_pc = regs->values[SPROF_REG_PC];
	sampling->fp_timeslices = slot->timeslices + 2;
}

/* What the thread does in the kernel, by its registers. It runs again by now, or waits on. */
static void find_wait(struct sampler *sampler, const struct slot *slot, enum sprof_state state)
{
	struct sampling *sampling = slot->thread->sampling;
	const struct sprof_regs *regs = &slot->snapshot.regs;
	struct sprof_proc_syscall call = {
		.kind = SPROF_PROC_SYSCALL_INSIDE,
		.number = regs->system_call,
		.sp = regs->values[SPROF_REG_SP],
		.pc = regs->values[SPROF_REG_PC],
	};

	sprof_regs_arguments(regs, call.arguments);
	if (state == SPROF_STATE_SLEEP) {
		sprof_waits_look_up(sampler, slot->thread, &call);
		return;
	}
	sampling->watch.active = false;
	sampling->wait_sp = 0;
	sampling->wait = state == SPROF_STATE_SYS
		? sprof_waits_running(sampler, slot->thread, &call)
		: SPROF_WAIT_NONE;
}

/* Its page faults were counted before; in so long it may have had more. Once in a tick is enough. */
static void doubt_late(const struct sampler *sampler, const struct slot *slot)
{
	struct sprof_process *process = slot->thread->process;

	if (process->late_tick_ns == sampler->tick_ns ||
		sprof_clock_now_ns() <= sampler->tick_ns + LATE_NS)
		return;
	process->late_tick_ns = sampler->tick_ns;
	process->change++;
}

/* It slept when it was looked at, and had gone on before it stopped: what it waited for is over. */
static bool has_woken(const struct slot *slot)
{
	const struct sprof_regs *regs = &slot->snapshot.regs;

	return slot->state != SPROF_STATE_USER && (regs->values[SPROF_REG_SP] != slot->sp ||
							  regs->values[SPROF_REG_PC] != slot->pc);
}

/* What the thread is owed of the sleep that it stopped at the end of is on the same stack. */
static uint32_t walk(struct sampler *sampler, struct slot *slot, enum sprof_end *ret_end)
{
	const struct sampling *sampling = slot->thread->sampling;
	const struct sprof_regs *regs = &slot->snapshot.regs;
	uint32_t stack;

	doubt_late(sampler, slot);
	stack = sprof_sampler_walk(sampler, slot->thread, &slot->snapshot, ret_end);
	if (regs->values[SPROF_REG_SP] == sampling->owed_sp &&
		regs->values[SPROF_REG_PC] == sampling->owed_pc)
		sprof_tick_pay(sampler, slot->thread, stack, *ret_end);
	else
		sprof_tick_forgive(sampler, slot->thread);
	return stack;
}

static void finish(struct sampler *sampler, struct slot *slot)
{
	struct sprof_thread *thread = slot->thread;
	struct sampling *sampling;
	enum sprof_state state;
	enum sprof_end end;

	if (!thread)
		return;
	sampling = thread->sampling;
	if (slot->paying) {
		if (slot->stopped)
			walk(sampler, slot, &end);
		sprof_tick_forgive(sampler, thread);
		return;
	}
	if (!slot->stopped) {
		sprof_tick_late(sampler, thread);
		return;
	}
	if (has_woken(slot))
		slot->state = SPROF_STATE_USER;
	state = slot->state;
	/* It ran when it was looked at, and may have gone to sleep before it stopped. */
	if (state == SPROF_STATE_USER && slot->snapshot.regs.system_call >= 0)
		state = sprof_regs_was_waiting(&slot->snapshot.regs) ? SPROF_STATE_SLEEP
								     : SPROF_STATE_SYS;
	remember_fp(slot, thread->sampling);
	sampling->stack = walk(sampler, slot, &end);
	sampling->state = state;
	if (slot->state == SPROF_STATE_USER)
		find_wait(sampler, slot, state);
	sprof_waits_emit(sampler, thread, 1);
	sampler->quality->samples_stopped++;
	sampler->quality->stacks[end]++;
}

/* The event is no stop that was asked for. */
static void settle(struct sampler *sampler, const struct sprof_event *event)
{
	struct slot *slot = event->thread ? slot_of(sampler, event->thread) : NULL;
	bool is_gone = event->kind == SPROF_EVENT_ENDED || event->kind == SPROF_EVENT_EXEC;

	if (event->kind == SPROF_EVENT_ENDED && slot && slot->stopped)
		finish(sampler, slot);
	if (is_gone && slot) {
		slot->thread = NULL;
		slot->pending = false;
	}
	sprof_sampler_event(sampler, event);
}

static struct sprof_event await_near(struct sampler *sampler, const struct slot *slot)
{
	struct sampling *sampling = slot->thread->sampling;
	struct sprof_event event = sprof_target_spin(
		sampler->parts->target, slot->thread, slot->requested_ns + SPIN_NS);

	/* It may have come to our own CPU, and wait there for us to sleep. */
	if (event.kind == SPROF_EVENT_TIMEOUT)
		sampling->cpu_ns = 0;
	return event;
}

static uint64_t patience(const struct sampler *sampler)
{
	uint64_t part = sampler->schedule.period / 4;

	return sampler->closing || sampler->options->once || part > PATIENCE_NS ? PATIENCE_NS : part;
}

/* One of them had the CPU; the others have to wait for it, which is no pause of ours. */
static void mark_queued(struct slot *first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		first[i].queued = first[i].pending;
}

static bool is_owed(const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	return sampling && sampling->owed;
}

/* One more slot, for a stop that no slot waits for. NULL: there is no room, and no time to make some. */
static struct slot *late_slot(struct sampler *sampler, struct sprof_thread *thread)
{
	struct slot *slot = sampler->slots + sampler->slot_count;

	if (sampler->slot_count == sampler->slot_capacity || !thread->sampling ||
		!sprof_copy_has_room(&slot->buffer, thread->sampling))
		return NULL;
	slot->thread = thread;
	slot->state = SPROF_STATE_USER;
	slot->near = slot->pending = false;
	slot->queued = slot->paying = true;
	slot->requested_ns = sprof_clock_now_ns();
	return slot;
}

static void take_stop(struct sampler *sampler, struct sprof_thread *thread)
{
	struct slot *slot = slot_of(sampler, thread);

	if (!slot && is_owed(thread)) {
		slot = late_slot(sampler, thread);
		sampler->slot_count += !!slot;
	} else if (slot && slot->stopped) {
		slot = NULL;
	}
	if (slot)
		copy_and_resume(sampler, slot);
	else
		let_go(sampler, thread);
}

/* False: nothing more is to be waited for. */
static bool take(struct sampler *sampler, const struct sprof_event *event)
{
	if (event->kind == SPROF_EVENT_STOPPED)
		take_stop(sampler, event->thread);
	else
		settle(sampler, event);
	return event->kind != SPROF_EVENT_TIMEOUT && event->kind != SPROF_EVENT_EMPTY;
}

/* Stops the threads of the slots; some may come only while those of the next CPU are waited for. */
static void collect(struct sampler *sampler, struct slot *first, size_t count)
{
	struct sprof_target *target = sampler->parts->target;
	uint64_t deadline = sprof_clock_now_ns() + patience(sampler);
	struct sprof_event event = {.kind = SPROF_EVENT_TIMEOUT};

	request(first, count);
	if (first->near && first->pending)
		event = await_near(sampler, first);
	if (event.kind != SPROF_EVENT_TIMEOUT)
		take(sampler, &event);
	while (is_pending(first, count)) {
		event = sprof_target_wait(target, deadline);
		if (!take(sampler, &event))
			return;
		mark_queued(first, count);
	}
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

		slot->distance = (unsigned)(slot->cpu - here) % CPU_SETSIZE;
	}
	qsort(sampler->slots, sampler->slot_count, sizeof(*sampler->slots), by_cpu);
}

/* Whether none of the threads ran where we are: our CPU is idle but for us, or others' business. */
static bool is_cpu_ours(const struct sampler *sampler)
{
	int here = sched_getcpu();

	for (size_t i = 0; i < sampler->slot_count; i++) {
		if (sampler->slots[i].cpu == here)
			return false;
	}
	return true;
}

/* The threads of one CPU are stopped together, from there; a single one also from a CPU of ours. */
static void take_by_cpu(struct sampler *sampler)
{
	size_t first = 0, last;

	order_by_cpu(sampler);
	for (; first < sampler->slot_count; first = last) {
		struct slot *slot = &sampler->slots[first];

		for (last = first + 1; last < sampler->slot_count && sampler->slots[last].cpu == slot->cpu;)
			last++;
		slot->near = last - first == 1 && !slot->queued && is_cpu_ours(sampler);
		if (!slot->near)
			sprof_hop_to(&sampler->hop, slot->cpu);
		collect(sampler, slot, last - first);
	}
}

void sprof_stops_take(struct sampler *sampler)
{
	size_t count;

	if (!sampler->slot_count)
		return;
	take_by_cpu(sampler);
	/* A late peek may ask for a stop, for which this tick has no time any more. */
	count = sampler->slot_count;
	for (size_t i = 0; i < count; i++)
		finish(sampler, &sampler->slots[i]);
	sampler->slot_count = 0;
}

/* Its tick has no sample of it: the stop came too late, and a peek did not do. */
static bool is_lost(const struct sprof_thread *thread)
{
	const struct sampling *sampling = thread->sampling;

	return sampling && sampling->lost;
}

void sprof_stops_take_late(struct sampler *sampler, struct sprof_thread *thread)
{
	bool lost = is_lost(thread);
	struct slot *slot = NULL;

	/* Inside a tick its own samples go first. */
	if (!sampler->slot_count && (lost || is_owed(thread)))
		slot = late_slot(sampler, thread);
	if (!slot) {
		let_go(sampler, thread);
		return;
	}
	sampler->tick_ns = slot->requested_ns;
	slot->paying = !lost;
	copy_and_resume(sampler, slot);
	if (slot->stopped || slot->paying)
		finish(sampler, slot);
	sampler->quality->samples_lost -= lost && slot->stopped;
	sprof_waits_flush(sampler, NULL);
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
