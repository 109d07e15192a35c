/*
 * Timers in the kernel: each thread that is found running gets one (events/perf/timer.h). Its
 * records show where the thread is without stopping it. Each tick reads their rings before the
 * look. A thread is still stopped for its exact figures, and whenever it has no timer. Does not
 * handle Go and Python programs, whose stacks take more than one copy: they are stopped.
 */
#include "sampler/timer/kernel.h"

#include "base/clock.h"
#include "base/numbers.h"
#include "sampler/account/book.h"
#include "sampler/stack/mappings.h"

/* the kernel adds a running thread's CPU time at least this often (HZ) */
enum { STALE_NS = 12 * SPROF_NS_PER_MS };

/* A thread that has not run for that long loses its timer. */
static const uint64_t UNUSED_NS = 5 * (uint64_t)SPROF_NS_PER_S;

/* the share of stacks that are incomplete: beyond it, stops are better */
static const double MOST_CUT = 0.1;

static bool has_timer(const struct sprof_thread *thread)
{
	return thread->sampling && thread->sampling->timed.timer;
}

/* Whether the thread has had no CPU for that long, according to its figures. */
static bool has_not_run(const struct kernel *kernel, const struct sprof_thread *thread, uint64_t ns)
{
	return kernel->run->tick.ns > thread->sampling->ledger.ran_ns + ns;
}

static void note_room(struct kernel *kernel, const struct sprof_thread *thread)
{
	const struct timed *timed = &thread->sampling->timed;

	kernel->room_ns = sprof_least(kernel->room_ns, timed->room * timed->period_ns);
}

void sprof_kernel_gather(struct kernel *kernel, struct sprof_thread *thread)
{
	if (!has_timer(thread))
		return;
	/* An exec was not reported yet: its report hands over the records from before it. */
	if (thread->process->former_maps.count)
		return;
	if (sprof_mappings_are_gone(thread->process))
		sprof_timers_drop(kernel, thread);
	else
		sprof_timers_take(kernel, thread, kernel->run->tick.ns);
	if (has_not_run(kernel, thread, UNUSED_NS) || sprof_timers_are_unfit(kernel, thread))
		sprof_timers_close(kernel, thread, false);
	else
		note_room(kernel, thread);
}

/* Takes the last records, at the end of the thread or of its program (`has_executed`). */
static void take_last(struct kernel *kernel, struct sprof_thread *thread, bool has_executed)
{
	const struct sprof_process *process = thread->process;

	if (process->former_maps.count || (process->maps.count && !has_executed))
		sprof_timers_take(kernel, thread, now_of(kernel->run));
	sprof_interval_read(kernel->book, thread, now_of(kernel->run));
	sprof_timers_drop(kernel, thread);
	sprof_timers_close(kernel, thread, false);
}

void sprof_kernel_hear(struct kernel *kernel, const struct sprof_event *event)
{
	if (!event->thread || !event->thread->sampling)
		return;
	if (event->kind == SPROF_EVENT_EXEC) {
		if (has_timer(event->thread))
			take_last(kernel, event->thread, true);
		sprof_call_places_forget(&kernel->places, event->thread->process);
		event->thread->sampling->timed = (struct timed){0};
	} else if (event->kind == SPROF_EVENT_ENDED && has_timer(event->thread)) {
		take_last(kernel, event->thread, false);
	}
}

void sprof_kernel_rest(struct kernel *kernel)
{
	const struct threads threads = threads_of(kernel->run);

	for (size_t i = 0; i < threads.count; i++) {
		if (has_timer(threads.items[i]))
			sprof_timers_close(kernel, threads.items[i], false);
	}
}

/*
 * Opens, replaces or closes the thread's timer, as needed. If the tick before has found the thread
 * running, too, it goes on running, and a timer is worth its cost. A stop that is late has not shown
 * yet how much of the stack to copy.
 */
static void adjust(struct kernel *kernel, struct sprof_thread *thread)
{
	const uint64_t last_ns = kernel->run->tick.last_ns;
	const struct timed *timed = &thread->sampling->timed;
	const bool is_often_cut = timed->cut_share > MOST_CUT;

	if (!timed->timer) {
		if (!is_thorough(kernel->run) && last_ns && thread->sampling->asked_ns == last_ns &&
			!thread->sampling->is_late)
			sprof_timers_open(kernel, thread);
	} else if (timed->next_size) {
		sprof_timers_replace(kernel, thread);
	} else if (is_often_cut || timed->leads_away) {
		sprof_timers_close(kernel, thread, is_often_cut);
	} else {
		sprof_timers_pace(kernel, thread);
	}
	if (timed->timer)
		note_room(kernel, thread);
}

bool sprof_kernel_ask(struct kernel *kernel, const struct ask *ask)
{
	const struct tick *tick = &kernel->run->tick;
	struct sprof_thread *thread = ask->thread;
	struct sampled *sampled = thread->sampling;
	struct timed *timed = &sampled->timed;
	uint64_t timeslices;

	adjust(kernel, thread);
	if (!timed->timer || is_thorough(kernel->run))
		return sprof_stops_ask(kernel->stops, ask);
	sprof_interval_read(kernel->book, thread, tick->ns);
	/* In the run queue, a stop would take long, and its figures lack the present wait. */
	if (!has_not_run(kernel, thread, STALE_NS) && (!timed->is_open || ask->wants_figures))
		return sprof_stops_ask(kernel->stops, ask);
	sprof_book_looked(kernel->book, thread, SPROF_STATE_USER);
	/*
	 * The thread may hold a lock. If it has had no further turn on a CPU since its last record
	 * was read, it is still near that record's place: this tick may come before the next
	 * record.
	 */
	timeslices = sampled->ledger.last.figures.timeslices;
	if (sampled->place_ns > tick->last_ns)
		timed->timeslices = timeslices;
	if (timed->is_open && timed->timeslices == timeslices)
		sampled->place_ns = tick->ns;
	return true;
}

bool sprof_kernel_covers(const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	return sampled &&
		(sampled->has_ended || (sampled->timed.is_open && !sampled->sleep.active));
}

void sprof_kernel_init(struct kernel *kernel, struct book *book, struct stops *stops)
{
	*kernel = (struct kernel){
		.run = book->run,
		.book = book,
		.stops = stops,
		.random = now_of(book->run) | 1,
	};
}
