/*
 * Timers in the kernel: each thread that is found running gets one (events/perf/timer.h). Its
 * records show where the thread is without stopping it. Each tick reads their rings before the
 * look. A thread is still stopped for its exact figures, and whenever it has no timer. Does not
 * handle Go and Python programs, whose stacks take more than one copy: they are stopped.
 */
#include "sampler/timer/kernel.h"

#include "base/clock.h"
#include "sampler/account/book.h"
#include "sampler/sampled.h"
#include "sampler/stack/mappings.h"

/* the kernel adds a running thread's CPU time at least this often (HZ) */
enum { STALE_NS = 12 * SPROF_NS_PER_MS };

/* A thread that has not run for that long loses its timer. */
static const uint64_t UNUSED_NS = 5 * (uint64_t)SPROF_NS_PER_S;

/* the share of stacks that are incomplete: beyond it, stops are better */
static const double MOST_CUT = 0.1;

static struct timed *timed_of(const struct sprof_thread *thread)
{
	struct sampled *sampled = thread->sampling;

	return &sampled->timed;
}

static bool has_timer(const struct sprof_thread *thread)
{
	return thread->sampling && timed_of(thread)->timer;
}

/* Whether the thread has had no CPU for that long, according to its figures. */
static bool has_not_run(const struct kernel *kernel, const struct sprof_thread *thread, uint64_t ns)
{
	const struct sampled *sampled = thread->sampling;

	return kernel->tick.ns > sampled->ledger.ran_ns + ns;
}

static void note_room(struct kernel *kernel, const struct sprof_thread *thread)
{
	const uint64_t room_ns = timed_of(thread)->room * timed_of(thread)->period_ns;

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
	if (has_not_run(kernel, thread, UNUSED_NS) ||
		sprof_timers_are_unfit(&kernel->timers, thread))
		sprof_timers_close(&kernel->timers, thread, false);
	else
		note_room(kernel, thread);
}

void sprof_kernel_share(struct kernel *kernel, struct sprof_thread *thread)
{
	if (sprof_samples_have_records(&kernel->book->samples, thread))
		sprof_interval_read(&kernel->book->samples, thread, kernel->tick.ns);
}

/* Takes the last records, at the end of the thread or of its program (`has_executed`). */
static void take_last(struct kernel *kernel, struct sprof_thread *thread, bool has_executed)
{
	const struct sprof_process *process = thread->process;

	if (process->former_maps.count)
		sprof_timers_take_former(&kernel->timers, thread);
	else if (process->maps.count && !has_executed)
		sprof_timers_take(&kernel->timers, thread, now_of(kernel->run));
	sprof_interval_read(&kernel->book->samples, thread, now_of(kernel->run));
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
		*timed_of(event->thread) = (struct timed){0};
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

/*
 * Whether the tick before has found the thread running, too: then it goes on running, and a timer
 * is worth its cost.
 */
static bool goes_on(const struct kernel *kernel, const struct sampled *sampled)
{
	return kernel->last_ns && sampled->asked_ns == kernel->last_ns;
}

/* Opens, replaces or closes the thread's timer, as needed. */
static void adjust(struct kernel *kernel, struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;
	struct timed *timed = timed_of(thread);
	const bool is_often_cut = timed->cut_share > MOST_CUT;

	if (!timed->timer) {
		if (!kernel->tick.thorough && goes_on(kernel, sampled))
			sprof_timers_open(&kernel->timers, thread);
	} else if (timed->next_size) {
		sprof_timers_replace(&kernel->timers, thread);
	} else if (is_often_cut || timed->leads_away) {
		sprof_timers_close(&kernel->timers, thread, is_often_cut);
	} else {
		sprof_timers_pace(&kernel->timers, thread);
	}
	if (timed->timer)
		note_room(kernel, thread);
}

/*
 * The thread may hold a lock. If it has had no further turn on a CPU since its last record was
 * read, it is still near that record's place: this tick may come before the next record.
 */
static void note_stay(struct kernel *kernel, struct sprof_thread *thread)
{
	struct sampled *sampled = thread->sampling;
	const uint64_t timeslices = sampled->ledger.last.figures.timeslices;
	struct timed *timed = timed_of(thread);

	if (sampled->place_ns > kernel->last_ns)
		timed->timeslices = timeslices;
	if (timed->is_open && timed->timeslices == timeslices)
		sampled->place_ns = kernel->tick.ns;
}

bool sprof_kernel_ask(struct kernel *kernel, const struct ask *ask)
{
	struct sprof_thread *thread = ask->thread;
	struct sampled *sampled = thread->sampling;
	bool is_queued;

	adjust(kernel, thread);
	if (!sampled->timed.timer || kernel->tick.thorough)
		return sprof_stops_ask(kernel->stops, ask);
	sprof_interval_read(&kernel->book->samples, thread, kernel->tick.ns);
	/* In the run queue, a stop would take long, and its figures lack the present wait for a CPU. */
	is_queued = has_not_run(kernel, thread, STALE_NS);
	if (!is_queued && (!sampled->timed.is_open || ask->wants_figures))
		return sprof_stops_ask(kernel->stops, ask);
	sprof_book_looked(kernel->book, thread, SPROF_STATE_USER);
	note_stay(kernel, thread);
	return true;
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
	const struct sampled *sampled = thread->sampling;

	return sampled &&
		(sampled->life == SAMPLED_DEAD ||
			(sampled->timed.is_open && !sampled->sleep.active));
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

void sprof_kernel_init(struct kernel *kernel, struct book *book, struct stops *stops)
{
	*kernel = (struct kernel){
		.run = book->run,
		.book = book,
		.stops = stops,
		.timers = {.run = book->run, .book = book, .random = now_of(book->run) | 1},
	};
}
