/*
 * The loop: waits for the next tick or a report of the target, and keeps the order of a run. Does
 * not handle what a tick does.
 */
#include "sampler/sampler.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "sampler/loop/loop.h"

static void on_ended(struct loop *loop, struct sprof_thread *thread)
{
	const struct sprof_world *world = loop->run.world;

	if (loop->exact.is_open)
		sprof_exact_ended(&loop->exact, thread);
	/* What it did while sampling was off is not charged. */
	if (loop->sampling.is_on || thread->sampling)
		sprof_book_settle(&loop->book, thread,
			loop->sampling.is_on && sprof_thread_has_figures(thread));
	sprof_book_close(&loop->book, thread);
	if (thread->process->threads == 1)
		sprof_sampled_process_forget(thread->process);
	world->release(world->target, thread);
}

/* Handles an event of the target, except for the stops of a tick. */
static void on_event(void *data, const struct sprof_event *event)
{
	struct loop *loop = data;
	struct kept_signals *signals = &loop->signals;
	unsigned same = 0;

	for (size_t i = 0; loop->events && loop->events[i]; i++) {
		if (loop->events[i]->take)
			loop->events[i]->take(loop->events[i]->data, event);
	}
	if (loop->ticking.kernel)
		sprof_kernel_hear(loop->ticking.kernel, event);
	switch (event->kind) {
	case SPROF_EVENT_SIGNAL:
		/* There is room for two of each kind; more of a kind within a tick add nothing. */
		for (unsigned i = 0; i < signals->count; i++)
			same += signals->kept[i].si_signo == event->info.si_signo;
		if (same < 2 && signals->count < SIGNALS_KEPT)
			signals->kept[signals->count++] = event->info;
		break;
	case SPROF_EVENT_STOPPED:
		sprof_stops_take_late(&loop->stops, event->thread, 0);
		break;
	case SPROF_EVENT_EXEC:
		sprof_book_executed(&loop->book, event->thread);
		sprof_process_drop_former(event->thread->process);
		if (loop->exact.is_open)
			sprof_exact_executed(&loop->exact, event->thread);
		sprof_schedule_resume(&loop->pace.schedule, now_of(&loop->run));
		break;
	case SPROF_EVENT_BORN:
		/* It may have an event, and its name can't be read once an exec has ended it. */
		if (loop->events && loop->sampling.is_on)
			(void)!sprof_book_open(&loop->book, event->born.thread);
		/* It is looked at in the next tick, because it may be gone soon. */
		sprof_schedule_resume(&loop->pace.schedule, now_of(&loop->run));
		break;
	case SPROF_EVENT_ENDED:
		on_ended(loop, event->thread);
		break;
	case SPROF_EVENT_EMPTY:
		loop->over = true;
		break;
	case SPROF_EVENT_CALL:
	case SPROF_EVENT_HELD:
	case SPROF_EVENT_DELIVERED:
	case SPROF_EVENT_TIMEOUT:
		break;
	}
}

static void carry_out(struct loop *loop, enum sprof_order order)
{
	if (order == SPROF_ORDER_TOGGLE)
		order = loop->sampling.is_on ? SPROF_ORDER_OFF : SPROF_ORDER_ON;
	if (order == SPROF_ORDER_END)
		loop->over = true;
	else if (order == SPROF_ORDER_ON)
		sprof_switch_on(loop);
	else if (order == SPROF_ORDER_OFF)
		sprof_switch_off(loop);
}

/* Signals are answered when no thread is stopped, and all time so far is handed out. */
static void answer_signals(struct loop *loop)
{
	const struct sprof_control *control = loop->control;

	/* A process forked by the control must not inherit our CPU and priority. */
	sprof_hop_restore(&loop->stops.hop);
	for (unsigned i = 0; i < loop->signals.count; i++) {
		enum sprof_order order;

		sprof_loop_fill_quality(loop);
		order = control->signal(control->data, &loop->signals.kept[i]);
		if (!loop->is_closed)
			carry_out(loop, order);
		if (control->done)
			control->done(control->data);
	}
	loop->signals.count = 0;
	sprof_priority_raise(&loop->stops.hop.own);
}

static uint64_t due_of(const struct sprof_event_source *source)
{
	return source->due_ns ? source->due_ns(source->data) : UINT64_MAX;
}

static uint64_t next_deadline(const struct loop *loop)
{
	uint64_t deadline = sprof_least(loop->pace.schedule.deadline, loop->pace.end_ns);

	deadline = sprof_least(deadline, loop->period.ask_ns);
	deadline = sprof_least(deadline, loop->sampling.planned_ns);
	deadline = sprof_least(deadline, sprof_exact_due_ns(&loop->exact));
	for (size_t i = 0; loop->events && loop->events[i]; i++)
		deadline = sprof_least(deadline, due_of(loop->events[i]));
	return deadline;
}

static void plan_next_tick(struct loop *loop)
{
	struct sprof_schedule *schedule = &loop->pace.schedule;
	const uint64_t tick_ns = loop->run.tick.ns;
	uint64_t most_spared;

	sprof_schedule_advance(schedule, tick_ns);
	if (loop->run.options->max_overhead > 0)
		sprof_schedule_set_period(schedule,
			sprof_budget_period(&loop->pace.budget, now_of(&loop->run), spent_ns(loop)),
			tick_ns);
	sprof_schedule_rest(schedule, tick_ns, now_of(&loop->run));
	most_spared = sprof_tick_most_spared(&loop->ticking);
	if (most_spared)
		sprof_schedule_spare(schedule, most_spared);
}

/* Does what is due now. Returns false if the end is due. */
static bool act(struct loop *loop)
{
	uint64_t now = now_of(&loop->run), tick_ns;

	if (now >= loop->sampling.planned_ns)
		sprof_switch_on(loop);
	tick_ns = loop->pace.schedule.deadline;
	if (loop->exact.is_open && (now >= tick_ns || now >= sprof_exact_due_ns(&loop->exact)))
		sprof_exact_read(&loop->exact, false);
	if (now >= tick_ns && loop->run.options->once)
		return false;
	/* An overdue tick is taken even past the end, to count those that were missed. */
	if (now >= tick_ns && tick_ns < loop->pace.end_ns) {
		sprof_tick(&loop->ticking, false);
		plan_next_tick(loop);
	}
	for (size_t i = 0; loop->events && loop->events[i]; i++) {
		const struct sprof_event_source *source = loop->events[i];

		if (now >= due_of(source) && !source->poll(source->data, now))
			loop->run.out_of_memory = true;
	}
	if (now >= loop->pace.end_ns)
		return false;
	if (now >= loop->period.ask_ns)
		sprof_period_end(loop);
	return true;
}

/* A target with endless events must not hold up the ticks. */
static void take_event(struct loop *loop)
{
	const struct sprof_world *world = loop->run.world;
	const uint64_t linger_ns = loop->run.options->linger_ns;
	struct sprof_event event = world->next_event(world->target, next_deadline(loop));
	uint64_t end_ns;
	int status;

	on_event(loop, &event);
	/* Processes that the launched program left behind may go on: the run ends without them. */
	end_ns = now_of(&loop->run) + linger_ns;
	if (linger_ns && end_ns < loop->pace.end_ns && world->ended(world->target, &status))
		loop->pace.end_ns = end_ns;
}

/* The last tick is at the end of the run, so that all figures reach up to it. */
static void close_run(struct loop *loop)
{
	struct threads threads;
	struct processes processes;

	sprof_loop_charge_all(loop);
	sprof_stops_drain(&loop->stops);
	if (loop->ticking.kernel)
		sprof_kernel_rest(loop->ticking.kernel);
	for (size_t i = 0; loop->events && loop->events[i]; i++) {
		if (loop->events[i]->end)
			loop->events[i]->end(loop->events[i]->data, now_of(&loop->run));
	}
	sprof_loop_settle_all(loop);
	threads = threads_of(&loop->run);
	for (size_t i = 0; i < threads.count; i++)
		sprof_book_close(&loop->book, threads.items[i]);
	processes = processes_of(&loop->run);
	for (size_t i = 0; i < processes.count; i++)
		sprof_sampled_process_forget(processes.items[i]);
	loop->is_closed = true;
	loop->exact.is_open = false;
	loop->run.exact = NULL;
	sprof_loop_fill_quality(loop);
	/* Answers signals of the last tick too. */
	answer_signals(loop);
	sprof_copy_buffer_finish(&loop->ticking.peeking.buffer);
	sprof_copy_buffer_finish(&loop->event_stacks.peeking.buffer);
	sprof_book_finish(&loop->book);
	if (loop->ticking.kernel)
		sprof_timers_finish(&loop->kernel);
	sprof_stops_finish(&loop->stops);
}

static void begin(struct loop *loop)
{
	const struct sprof_sampler_options *options = loop->run.options;
	const uint64_t period = (uint64_t)(SPROF_NS_PER_S / options->rate_hz);
	struct pace *pace = &loop->pace;
	struct threads threads;

	sprof_book_init(&loop->book, &loop->run);
	loop->ticking = (struct ticking){.run = &loop->run,
		.book = &loop->book,
		.stops = &loop->stops,
		.schedule = &pace->schedule};
	sprof_stops_init(&loop->stops, &loop->book, loop, on_event);
	/* Without schedstat, it is not known what a thread did between its records. */
	if (options->by_kernel && !loop->run.quality->schedstat_missing) {
		sprof_kernel_init(&loop->kernel, &loop->book, &loop->stops);
		loop->ticking.kernel = &loop->kernel;
	}
	sprof_event_stacks_init(loop);
	/* As late as possible: time before the first reading of a thread is in no account. */
	pace->begin_ns = now_of(&loop->run) + options->delay_ns;
	pace->end_ns = options->duration_ns ? pace->begin_ns + options->duration_ns : UINT64_MAX;
	sprof_schedule_init(&pace->schedule, period, UINT64_MAX, pace->begin_ns);
	sprof_budget_init(&pace->budget, options->max_overhead, period);
	loop->period.end_ns = options->period_ns ? pace->begin_ns + options->period_ns : UINT64_MAX;
	loop->period.ask_ns = loop->period.end_ns;
	sprof_switch_init(loop);
	if (options->exact_waits != SPROF_EXACT_NOT)
		sprof_exact_begin(&loop->exact, &loop->book, loop->sampling.is_on);
	/* Threads stand still after a launch, so that the first instruction is the first sample. */
	threads = threads_of(&loop->run);
	for (size_t i = 0; i < threads.count; i++) {
		if (loop->sampling.is_on)
			sprof_book_open(&loop->book, threads.items[i]);
		if (threads.items[i]->phase == SPROF_THREAD_STOPPED)
			loop->run.world->resume(threads.items[i]);
	}
}

bool sprof_sampler_run_in(const struct sprof_world *world, const struct sprof_sampler_parts *parts,
	const struct sprof_sampler_options *options, struct sprof_quality *quality,
	struct sprof_error *err)
{
	struct loop loop = {
		.run = {.world = world,
			.options = options,
			.quality = quality,
			.sink = parts->sink},
		.control = parts->control,
		.periods = parts->periods,
		.events = parts->events,
	};

	quality->rate_hz = options->rate_hz;
	quality->mode = options->mode;
	begin(&loop);
	do {
		take_event(&loop);
		if (!loop.over && !act(&loop))
			break;
		if (loop.signals.count) {
			sprof_loop_charge_all(&loop);
			answer_signals(&loop);
		}
		if (world->lacks_memory(world->target))
			loop.run.out_of_memory = true;
	} while (!loop.over && !loop.run.out_of_memory);
	close_run(&loop);
	return loop.run.out_of_memory ? sprof_error_no_memory(err) : true;
}
