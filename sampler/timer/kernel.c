/*
 * Timers in the kernel: each thread that is found running gets one (events/perf/timer.h). Its
 * records show, without a stop, where the thread's own code is, and, if permitted, where that has
 * entered the kernel. Their rings are read at each tick, before the look. A thread is still stopped
 * for its exact figures, for time in the kernel that no record covers, in place of a record whose
 * stack is incomplete, and wherever it has no timer. timed.c has the arithmetic. Does not handle Go
 * and Python programs, whose stacks take more than one copy: they are stopped.
 */
#include "sampler/timer/kernel.h"

#include "base/clock.h"
#include "base/numbers.h"
#include "sampler/account/figures.h"
#include "sampler/sampled.h"
#include "sampler/stack/mappings.h"

enum { STOPS_PER_S = 16 }; /* at least, of a thread that only runs its own code */

/* A thread that has not run for that long loses its timer. */
static const uint64_t UNUSED_NS = 5 * (uint64_t)SPROF_NS_PER_S;

static struct timed *timed_of(const struct sprof_thread *thread)
{
	struct sampled *sampled = thread->sampling;

	return &sampled->timed;
}

static bool has_timer(const struct sprof_thread *thread)
{
	return thread->sampling && timed_of(thread)->timer;
}

static bool is_unused(const struct kernel *kernel, const struct timed *timed)
{
	return kernel->tick.ns > timed->used_ns + UNUSED_NS;
}

static void note_room(struct kernel *kernel, const struct sprof_thread *thread)
{
	const uint64_t room_ns = sprof_timed_room_ns(timed_of(thread));

	if (kernel->room_ns > room_ns)
		kernel->room_ns = room_ns;
}

void sprof_kernel_gather(struct kernel *kernel, struct sprof_thread *thread)
{
	if (!has_timer(thread))
		return;
	/* An exec was not reported yet: its report hands over the records from before it. */
	if (thread->process->former_maps.count)
		return;
	if (sprof_mappings_are_gone(thread->process))
		sprof_timers_drop(&kernel->timers, thread);
	else
		sprof_timers_take(&kernel->timers, thread, kernel->tick.ns);
	if (is_unused(kernel, timed_of(thread)) || sprof_timers_are_unfit(&kernel->timers, thread))
		sprof_timers_close(&kernel->timers, thread, false);
	else
		note_room(kernel, thread);
}

/* Takes the last records, at the end of the thread or of its program (`has_executed`). */
static void take_last(struct kernel *kernel, struct sprof_thread *thread, bool has_executed)
{
	const struct sprof_process *process = thread->process;

	if (process->former_maps.count)
		sprof_timers_take_former(&kernel->timers, thread);
	else if (process->maps.count && !has_executed)
		sprof_timers_take(&kernel->timers, thread, now_of(kernel->run));
	sprof_timers_drop(&kernel->timers, thread);
	sprof_timers_close(&kernel->timers, thread, false);
}

void sprof_kernel_hear(struct kernel *kernel, const struct sprof_event *event)
{
	if (!event->thread || !event->thread->sampling)
		return;
	if (event->kind == SPROF_EVENT_EXEC) {
		if (has_timer(event->thread))
			take_last(kernel, event->thread, true);
		sprof_call_places_forget(&kernel->timers.places, event->thread->process);
		sprof_timed_executed(timed_of(event->thread));
	} else if (event->kind == SPROF_EVENT_ENDED && has_timer(event->thread)) {
		take_last(kernel, event->thread, false);
	}
}

void sprof_kernel_rest(struct kernel *kernel)
{
	const struct sprof_world *world = kernel->run->world;
	struct sprof_thread **threads;
	size_t count;

	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		if (has_timer(threads[i]))
			sprof_timers_close(&kernel->timers, threads[i], false);
	}
}

static void note_run(struct kernel *kernel, const struct ask *ask)
{
	struct sprof_thread *thread = ask->thread;
	const struct sprof_world *world = kernel->run->world;
	struct timed *timed = timed_of(thread);
	struct timed_look look = {
		.tick_ns = kernel->tick.ns,
		.last_ns = kernel->last_ns,
		.weight = ask->weight,
	};
	struct sprof_proc_schedstat now;
	uint64_t used_ns;

	if (!world->read_schedstat(world->data, thread, &now))
		return;
	look.cpu_ns = now.cpu_ns;
	look.runq_ns = now.runq_ns;
	used_ns = sprof_minus(now.cpu_ns, timed->cpu_ns);
	sprof_timed_ran(timed, &look, (double)used_ns / (double)kernel->tick.period_ns);
	if (sprof_timed_may_have_slept(timed, now.timeslices, kernel->tick.period_ns))
		sprof_timed_gave_up(timed, sprof_figures_switches(world, thread), look.weight);
}

static bool wants_stop(const struct kernel *kernel, const struct ask *ask)
{
	const double most = (double)SPROF_NS_PER_S / STOPS_PER_S / (double)kernel->tick.period_ns;

	if (kernel->tick.thorough)
		return true;
	/* Off its CPU, its figures are exact without a stop. */
	if (sprof_timed_is_queued(timed_of(ask->thread), kernel->tick.ns))
		return false;
	return ask->figures != ASK_NO_FIGURES || sprof_timed_is_due(timed_of(ask->thread), most);
}

/*
 * Whether it is known where the thread is: by records, or because it waits in the run queue where a
 * stop left it.
 */
static bool has_its_place(const struct kernel *kernel, const struct sprof_thread *thread)
{
	const struct timed *timed = timed_of(thread);

	return sprof_timed_is_open(timed) || sprof_timed_is_queued(timed, kernel->tick.ns);
}

/* Whether records have all that the tick wants of the thread. */
static bool is_settled(struct kernel *kernel, const struct ask *ask)
{
	struct sprof_thread *thread = ask->thread;

	if (!has_timer(thread)) {
		if (!kernel->tick.thorough &&
			sprof_timed_goes_on(timed_of(thread), kernel->tick.ns, kernel->last_ns))
			sprof_timers_open(&kernel->timers, thread);
		return false;
	}
	if (sprof_timed_wants_other(timed_of(thread)))
		sprof_timers_replace(&kernel->timers, thread);
	else if (sprof_timed_is_in_vain(timed_of(thread)))
		sprof_timers_close(&kernel->timers, thread, true);
	if (!has_timer(thread))
		return false;
	sprof_timers_pace(&kernel->timers, thread);
	note_run(kernel, ask);
	return has_its_place(kernel, thread) && !wants_stop(kernel, ask);
}

/*
 * Whether its last sample may be repeated. A sleep's sample may be only while the thread waits for
 * a CPU directly after that sleep; one with an incomplete stack never is.
 */
static bool has_place(const struct kernel *kernel, const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	return sampled->timed.has_place && sampled->last.end == SPROF_END_ROOT &&
		(!sprof_state_is_blocked(sampled->last.state) ||
			sprof_timed_is_queued(&sampled->timed, kernel->tick.ns));
}

/*
 * Keeps its last stack as the stack of a lock's holder, because this tick may come before the next
 * record. In the run queue the thread can't have moved.
 */
static void note_stay(const struct kernel *kernel, struct sprof_thread *thread)
{
	const struct timed *timed = timed_of(thread);

	if (has_place(kernel, thread) &&
		(timed->stays || sprof_timed_is_queued(timed, kernel->tick.ns)))
		kernel->listener->stayed(kernel->listener->data, thread);
}

/*
 * It waits, or waited, for a CPU where it was preempted, which is near its last sample. All records
 * around share that time, as they share the CPU time.
 */
static void note_queue(const struct kernel *kernel, const struct ask *ask)
{
	struct sprof_thread *thread = ask->thread;
	const struct sampled *sampled = thread->sampling;
	struct observation observation = {
		.thread = thread,
		.by = OBSERVED_BY_REUSE,
		.time_ns = kernel->tick.ns,
		.is_queued = true,
		.state = sampled->last.state,
		.end = sampled->last.end,
	};

	if (has_place(kernel, thread))
		observation.times = sprof_timed_stood(timed_of(thread), kernel->tick.period_ns);
	if (observation.times || ask->figures != ASK_NO_FIGURES)
		kernel->listener->observed(kernel->listener->data, &observation);
}

bool sprof_kernel_ask(struct kernel *kernel, const struct ask *asked)
{
	const bool is_all_told = is_settled(kernel, asked);

	if (has_timer(asked->thread))
		note_room(kernel, asked->thread);
	if (!is_all_told)
		return sprof_stops_ask(kernel->stops, asked);
	note_queue(kernel, asked);
	note_stay(kernel, asked->thread);
	return true;
}

/* Records cover what such a stop found. */
static bool is_told(const struct observation *observation)
{
	return observation->state == SPROF_STATE_USER ||
		(observation->state == SPROF_STATE_SYS &&
			sprof_timed_tells_all(timed_of(observation->thread)));
}

/* Lets such a stop count only for the ticks that no record covers. */
static void reduce(const struct kernel *kernel, struct observation *observation)
{
	observation->times = sprof_timed_met_in_user(timed_of(observation->thread));
	if (observation->times)
		return;
	note_stay(kernel, observation->thread);
	observation->snapshot = NULL;
	observation->end = SPROF_END_ROOT;
}

static void weigh(const struct kernel *kernel, struct observation *observation)
{
	struct timed *timed = timed_of(observation->thread);

	if (is_told(observation))
		reduce(kernel, observation);
	else if (observation->state == SPROF_STATE_SYS)
		observation->times = sprof_timed_met_in_kernel(timed);
	else
		observation->times = sprof_timed_met_waking(timed);
}

static bool on_observed(void *data, struct observation *observation)
{
	struct kernel *kernel = data;
	struct timed *timed = timed_of(observation->thread);

	if (!timed->timer)
		return kernel->listener->observed(kernel->listener->data, observation);
	if (observation->owed)
		sprof_timers_take(&kernel->timers, observation->thread, observation->time_ns);
	/* Before the first record, the stop counts as it is, however late it comes. */
	if (sprof_timed_is_open(timed))
		weigh(kernel, observation);
	if (!kernel->listener->observed(kernel->listener->data, observation))
		return false;
	sprof_timed_was_placed(timed, observation->times);
	return true;
}

static void on_missed(void *data, struct sprof_thread *thread)
{
	const struct kernel *kernel = data;

	if (sprof_timed_is_open(timed_of(thread)) && thread->phase != SPROF_THREAD_INTERRUPTED &&
		!sprof_timed_was_missed(timed_of(thread)))
		return;
	kernel->listener->missed(kernel->listener->data, thread);
}

static void on_lost(void *data, uint64_t count)
{
	const struct kernel *kernel = data;

	kernel->listener->lost(kernel->listener->data, count);
}

static void on_event(void *data, const struct sprof_event *event)
{
	const struct kernel *kernel = data;

	kernel->listener->event(kernel->listener->data, event);
}

static enum ask_figures on_wanted(void *data, const struct sprof_thread *thread)
{
	const struct kernel *kernel = data;

	return kernel->listener->wanted(kernel->listener->data, thread);
}

void sprof_kernel_begin(struct kernel *kernel, const struct source_tick *tick)
{
	kernel->last_ns = kernel->tick.ns;
	kernel->tick = *tick;
	kernel->timers.tick_ns = tick->ns;
	kernel->timers.period_ns = tick->period_ns;
	kernel->timers.cpus = (struct sprof_cpu_set){0};
	kernel->room_ns = UINT64_MAX;
}

bool sprof_kernel_covers(const struct sprof_thread *thread)
{
	return thread->sampling && sprof_timed_is_open(timed_of(thread)) &&
		sprof_timed_tells(timed_of(thread));
}

/*
 * Records can be read from any CPU. If none is idle, reading takes the time of what runs there:
 * better another program than a thread of the target.
 */
void sprof_kernel_leave_their_cpus(struct kernel *kernel)
{
	struct sprof_hop *hop = &kernel->stops->hop;

	if (!kernel->stops->asked && !sprof_hop_widen_if_queued(hop))
		sprof_hop_off(hop, &kernel->timers.cpus);
}

void sprof_kernel_finish(struct kernel *kernel)
{
	sprof_timers_finish(&kernel->timers);
}

void sprof_kernel_init(struct kernel *kernel, const struct run *run,
	const struct source_listener *listener, struct stops *stops)
{
	*kernel = (struct kernel){
		.run = run,
		.listener = listener,
		.between =
			{
				.data = kernel,
				.observed = on_observed,
				.missed = on_missed,
				.lost = on_lost,
				.event = on_event,
				.wanted = on_wanted,
			},
		.stops = stops,
		.timers = {.run = run, .listener = listener, .random = now_of(run) | 1},
	};
}
