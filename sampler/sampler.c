/*
 * The loop: waits for the next tick or a report of the target, and keeps the order of a run. Does
 * not handle what a tick does.
 */
#include "sampler/sampler.h"

#include <stdlib.h>

#include "base/clock.h"
#include "sampler/loop/loop.h"

/* There is room for two signals of each kind; more of a kind within a tick add nothing. */
static void keep_signal(struct kept_signals *signals, const siginfo_t *info)
{
	unsigned same = 0;

	for (unsigned i = 0; i < signals->count; i++)
		same += signals->kept[i].si_signo == info->si_signo;
	if (same < 2 && signals->count < SIGNALS_KEPT)
		signals->kept[signals->count++] = *info;
}

/* Processes that the launched program left behind may go on: the run ends without them. */
static void end_with_program(struct loop *loop)
{
	const struct sprof_world *world = loop->run.world;
	const uint64_t linger_ns = loop->run.options->linger_ns;
	const uint64_t end_ns = now_of(&loop->run) + linger_ns;

	if (linger_ns && end_ns < loop->pace.end_ns && world->has_ended(world->data))
		loop->pace.end_ns = end_ns;
}

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
	world->release(world->data, thread);
}

/* Handles an event of the target, except for the stops of a tick. */
static void on_event(void *data, const struct sprof_event *event)
{
	struct loop *loop = data;

	sprof_sources_take(loop, event);
	if (loop->ticking.kernel)
		sprof_kernel_hear(loop->ticking.kernel, event);
	switch (event->kind) {
	case SPROF_EVENT_SIGNAL:
		keep_signal(&loop->signals, &event->info);
		break;
	case SPROF_EVENT_STOPPED:
		sprof_stops_take_late(&loop->stops, event->thread);
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

static void on_missed(void *data, struct sprof_thread *thread)
{
	struct loop *loop = data;

	sprof_tick_missed(&loop->ticking, thread);
}

static void carry_out(struct loop *loop, enum sprof_order order)
{
	switch (order) {
	case SPROF_ORDER_GO_ON:
		break;
	case SPROF_ORDER_END:
		loop->over = true;
		break;
	case SPROF_ORDER_ON:
		sprof_switch_on(loop);
		break;
	case SPROF_ORDER_OFF:
		sprof_switch_off(loop);
		break;
	case SPROF_ORDER_TOGGLE:
		if (loop->sampling.is_on)
			sprof_switch_off(loop);
		else
			sprof_switch_on(loop);
		break;
	}
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
	sprof_hop_resume(&loop->stops.hop);
}

/* Threads stand still after a launch, so that the first instruction is the first sample. */
static void resume_all(struct loop *loop)
{
	const struct sprof_world *world = loop->run.world;
	struct sprof_thread **threads;
	size_t count;

	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		if (loop->sampling.is_on)
			sprof_book_open(&loop->book, threads[i]);
		if (threads[i]->phase == SPROF_THREAD_STOPPED)
			world->resume(world->data, threads[i]);
	}
}

static uint64_t next_deadline(const struct loop *loop)
{
	uint64_t tick_ns = loop->pace.schedule.deadline, ask_ns = loop->period.ask_ns;
	uint64_t events_ns = sprof_sources_due_ns(loop), on_ns = sprof_switch_due_ns(loop);
	uint64_t deadline = tick_ns < loop->pace.end_ns ? tick_ns : loop->pace.end_ns;

	deadline = deadline < ask_ns ? deadline : ask_ns;
	deadline = deadline < on_ns ? deadline : on_ns;
	if (sprof_exact_due_ns(&loop->exact) < deadline)
		deadline = sprof_exact_due_ns(&loop->exact);
	return deadline < events_ns ? deadline : events_ns;
}

static void plan_next_tick(struct loop *loop)
{
	struct pace *pace = &loop->pace;
	uint64_t most_spared;

	sprof_schedule_advance(&pace->schedule, loop->ticking.ns);
	if (loop->run.options->max_overhead > 0)
		sprof_schedule_set_period(&pace->schedule,
			sprof_budget_period(&pace->budget, now_of(&loop->run), spent_ns(loop)),
			loop->ticking.ns);
	sprof_schedule_rest(&pace->schedule, loop->ticking.ns, now_of(&loop->run));
	most_spared = sprof_tick_most_spared(&loop->ticking);
	if (most_spared)
		sprof_schedule_spare(&pace->schedule, most_spared);
}

/* Does what is due now. Returns false if the end is due. */
static bool act(struct loop *loop)
{
	uint64_t now = now_of(&loop->run), tick_ns;

	if (now >= sprof_switch_due_ns(loop))
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
	sprof_sources_poll(loop, now);
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
	struct sprof_event event = world->next_event(world->data, next_deadline(loop));

	on_event(loop, &event);
	end_with_program(loop);
}

/* Frees all records of threads and processes. */
static void forget_all(struct loop *loop)
{
	const struct sprof_world *world = loop->run.world;
	struct sprof_process **processes;
	struct sprof_thread **threads;
	size_t count;

	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++)
		sprof_book_close(&loop->book, threads[i]);
	processes = world->processes(world->data, &count);
	for (size_t i = 0; i < count; i++)
		sprof_sampled_process_forget(processes[i]);
}

/* The last tick is at the end of the run, so that all figures reach up to it. */
static void close_run(struct loop *loop)
{
	sprof_loop_charge_all(loop);
	sprof_stops_drain(&loop->stops);
	if (loop->ticking.kernel)
		sprof_kernel_rest(loop->ticking.kernel);
	sprof_sources_end(loop);
	sprof_loop_settle_all(loop);
	forget_all(loop);
	loop->is_closed = true;
	if (loop->exact.is_open)
		sprof_exact_finish(&loop->exact);
	sprof_loop_fill_quality(loop);
	/* Answers signals of the last tick too. */
	answer_signals(loop);
	sprof_ticking_finish(&loop->ticking);
	sprof_event_stacks_finish(&loop->event_stacks);
	sprof_book_finish(&loop->book);
	if (loop->ticking.kernel)
		sprof_kernel_finish(loop->ticking.kernel);
	sprof_stops_finish(&loop->stops);
}

static void begin_pace(struct loop *loop)
{
	const struct sprof_sampler_options *options = loop->run.options;
	struct pace *pace = &loop->pace;
	uint64_t period = (uint64_t)(SPROF_NS_PER_S / options->rate_hz);

	pace->begin_ns = now_of(&loop->run) + options->delay_ns;
	pace->end_ns = options->duration_ns ? pace->begin_ns + options->duration_ns : UINT64_MAX;
	sprof_schedule_init(&pace->schedule, period, UINT64_MAX, pace->begin_ns);
	sprof_budget_init(&pace->budget, options->max_overhead, period);
}

/* Without schedstat, it is not known what a thread did between its records. */
static void choose_source(struct loop *loop)
{
	const struct run *run = &loop->run;

	sprof_stops_init(&loop->stops, &loop->book, &loop->listener, &loop->pauses);
	if (!run->options->by_kernel || run->quality->schedstat_missing)
		return;
	sprof_kernel_init(&loop->kernel, &loop->book, &loop->stops);
	loop->ticking.kernel = &loop->kernel;
}

static void begin(struct loop *loop)
{
	loop->listener = (struct source_listener){
		.data = loop,
		.missed = on_missed,
		.event = on_event,
	};
	sprof_book_init(&loop->book, &loop->run, loop->sink);
	choose_source(loop);
	loop->ticking.run = &loop->run;
	loop->ticking.book = &loop->book;
	loop->ticking.stops = &loop->stops;
	loop->ticking.schedule = &loop->pace.schedule;
	sprof_event_stacks_init(&loop->event_stacks, &loop->run, &loop->book);
	sprof_sources_offer(loop);
	/* As late as possible: what passes before the first reading of a thread is in no account. */
	begin_pace(loop);
	sprof_period_begin(loop);
	sprof_switch_init(loop);
	if (loop->run.options->exact_waits == SPROF_EXACT_NOT)
		return;
	sprof_exact_init(&loop->exact, &loop->run, &loop->book);
	sprof_exact_begin(&loop->exact, loop->sampling.is_on);
}

bool sprof_sampler_run_in(const struct sprof_world *world, const struct sprof_sampler_parts *parts,
	const struct sprof_sampler_options *options, struct sprof_quality *quality,
	struct sprof_error *err)
{
	struct loop loop = {
		.run = {.world = world, .options = options, .quality = quality},
		.sink = parts->sink,
		.control = parts->control,
		.periods = parts->periods,
		.events = parts->events,
	};

	quality->rate_hz = options->rate_hz;
	quality->mode = options->mode;
	begin(&loop);
	resume_all(&loop);
	do {
		take_event(&loop);
		if (!loop.over && !act(&loop))
			break;
		if (loop.signals.count) {
			sprof_loop_charge_all(&loop);
			answer_signals(&loop);
		}
		if (world->lacks_memory(world->data))
			loop.run.out_of_memory = true;
	} while (!loop.over && !loop.run.out_of_memory);
	close_run(&loop);
	return loop.run.out_of_memory ? sprof_error_no_memory(err) : true;
}
