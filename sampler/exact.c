/*
 * Reads the switches of threads (events/switch-log.h) and makes waits of them. A wait gets its place from
 * the tick that saw it, which knows more; one that no tick saw gets the kernel's note of it. Does not
 * handle threads that the kernel does not record: their waits are the ticks' as without this.
 */
#include "sampler/exact.h"

#include <stdlib.h>

#include "base/clock.h"
#include "sampler/mappings.h"
#include "sampler/sampled.h"

enum { READ_NS = 20 * SPROF_NS_PER_MS };

static bool are_known(void *data, const struct sprof_thread *thread);
static bool seen(void *data, struct sprof_thread *thread, const struct sprof_sample *sample);

void sprof_exact_init(struct exact *exact, struct run *run, struct book *book)
{
	*exact = (struct exact){.run = run,
		.book = book,
		.from_ns = UINT64_MAX,
		.lengths = {exact, are_known, seen}};
}

void sprof_exact_finish(struct exact *exact)
{
	exact->run->lengths = NULL;
	exact->is_open = false;
}

static struct switching *switching_of(const struct sprof_thread *thread)
{
	const struct sampled *sampled = thread->sampling;

	return sampled ? sampled->switching : NULL;
}

/* NULL: it is gone, or there is no memory. */
static struct switching *open(struct exact *exact, struct sprof_thread *thread)
{
	struct switching *switching = switching_of(thread);

	if (switching || !sprof_book_open(exact->book, thread))
		return switching;
	switching = calloc(1, sizeof(*switching));
	if (switching)
		sprof_sampled_recorded(thread->sampling, switching);
	else
		exact->run->out_of_memory = true;
	return switching;
}

static bool cover(struct exact *exact, struct sprof_thread *thread)
{
	const struct sprof_world *world = exact->run->world;
	struct sprof_perf_denial denial;

	if (world->switches_cover(world->data, thread, &denial))
		return !exact->is_on || open(exact, thread);
	exact->run->quality->exact_refused += denial.reason != SPROF_PERF_GONE;
	return false;
}

static bool begin_log(const struct exact *exact)
{
	const struct sprof_world *world = exact->run->world;
	const struct sprof_sampler_options *options = exact->run->options;
	const struct sprof_switch_log_plan plan = {
		.places = options->exact_waits == SPROF_EXACT_STACKS,
		.threads = options->heirs,
		.processes = options->processes,
	};
	struct sprof_perf_denial denial;

	return world->switches_begin(world->data, &plan, &denial);
}

void sprof_exact_begin(struct exact *exact, bool is_on)
{
	const struct sprof_world *world = exact->run->world;
	struct sprof_thread **threads;
	size_t count;

	threads = world->threads(world->data, &count);
	if (!begin_log(exact)) {
		exact->run->quality->exact_refused += count;
		return;
	}
	exact->begin_ns = exact->read_ns = now_of(exact->run);
	exact->is_open = true;
	if (exact->run->options->exact_waits == SPROF_EXACT_STACKS)
		exact->run->lengths = &exact->lengths;
	exact->is_on = is_on;
	exact->from_ns = is_on ? exact->begin_ns : UINT64_MAX;
	for (size_t i = 0; i < count; i++)
		cover(exact, threads[i]);
	exact->covered_ns = now_of(exact->run);
}

uint64_t sprof_exact_due_ns(const struct exact *exact)
{
	return exact->is_open ? exact->read_ns + READ_NS : UINT64_MAX;
}

static uint64_t since(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

static uint64_t later(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static void tell(struct exact *exact, struct sprof_thread *thread, const struct sprof_sample *where,
	const struct sprof_waited *waited)
{
	const struct sprof_sink *sink = exact->book->sink;

	sprof_sampled_waited(thread->sampling, where->state, waited->ns);
	if (sink->waited && sprof_mode_takes(exact->run->options->mode, where->state) &&
		!sink->waited(sink->data, where, waited))
		exact->run->out_of_memory = true;
}

/* The part of a wait that the sink does not know yet. */
static struct sprof_waited rest_of(const struct exact *exact, const struct switching *switching,
	const struct off_interval *interval)
{
	const uint64_t begin_ns =
		later(later(interval->begin_ns, switching->told_ns), exact->from_ns);

	return (struct sprof_waited){
		.begin_ns = begin_ns,
		.end_ns = interval->end_ns,
		.ns = since(interval->end_ns, begin_ns),
		.waits = !switching->is_counted,
		.longest_ns = since(interval->end_ns, later(interval->begin_ns, exact->from_ns)),
	};
}

static struct sprof_sample sample_at(
	const struct sprof_thread *thread, const struct off_place *place)
{
	return (struct sprof_sample){
		.thread = thread->id,
		.stack = place->stack,
		.state = place->state,
		.wait = place->wait,
		.time_ns = place->time_ns,
	};
}

/*
 * A tick knows more of a wait that it has seen: what it is of, and who holds its lock. But it looks a little
 * later than its moment, and may have seen the next wait; then the stack is another one.
 */
static bool is_seen_by(const struct switching *switching, const struct sprof_sample *tick)
{
	return !switching->has_place || switching->place.is_cut ||
		switching->place.stack == tick->stack;
}

/* In its own place. It stands for those that have none. */
static void tell_place(struct exact *exact, struct sprof_thread *thread, struct sprof_waited *rest)
{
	struct switching *switching = switching_of(thread);
	const struct sprof_sample where = sample_at(thread, &switching->place);

	rest->ns += switching->unplaced_ns;
	rest->waits += switching->unplaced;
	switching->unplaced = switching->unplaced_ns = 0;
	tell(exact, thread, &where, rest);
}

/* No place of its own comes any more. */
static void tell_rest(struct exact *exact, struct sprof_thread *thread)
{
	struct switching *switching = switching_of(thread);
	struct sprof_waited rest = {0};

	if (switching->unplaced && switching->has_last && exact->is_on)
		tell_place(exact, thread, &rest);
}

static void place(
	struct exact *exact, struct sprof_thread *thread, const struct off_interval *interval)
{
	struct switching *switching = switching_of(thread);
	struct sprof_waited rest = rest_of(exact, switching, interval);

	if (switching->by_ticks || (!rest.ns && !rest.waits))
		return;
	if (switching->tick.time_ns >= later(interval->begin_ns, 1) &&
		switching->tick.time_ns <= interval->end_ns &&
		is_seen_by(switching, &switching->tick)) {
		tell(exact, thread, &switching->tick, &rest);
	} else if (switching->has_place) {
		tell_place(exact, thread, &rest);
	} else {
		switching->unplaced += rest.waits;
		switching->unplaced_ns += rest.ns;
		exact->run->quality->exact_unplaced += rest.waits;
	}
	switching->told_ns = interval->end_ns;
}

/* Time in a stop is our doing; the time in the queue behind it is the kernel's. */
static void count(
	struct exact *exact, struct sprof_thread *thread, const struct off_interval *interval)
{
	struct switching *switching = switching_of(thread);
	struct switching_totals *totals = &switching->totals;
	const uint64_t ns = since(interval->end_ns, interval->begin_ns);
	const uint64_t resumed_ns = interval->preempted
		? 0
		: sprof_thread_resumed_between(thread, interval->begin_ns, interval->end_ns);

	if (interval->preempted) {
		totals->preemptions++;
		totals->preempted_ns += ns;
	} else if (resumed_ns) {
		totals->ready_ns += since(interval->end_ns, resumed_ns);
	} else {
		totals->waits++;
		totals->wait_ns += ns;
		totals->longest_ns = later(totals->longest_ns, ns);
		if (!exact->is_on)
			return;
		exact->run->quality->exact_waits++;
		place(exact, thread, interval);
	}
}

static void take_first(
	struct switching *switching, const struct sprof_thread *thread, uint64_t time_ns)
{
	if (!switching->is_known && thread->born)
		switching->totals.ready_ns += since(time_ns, thread->seen_ns);
}

static void release(struct exact *exact, struct sprof_thread *thread, uint64_t until_ns)
{
	struct switching *switching = switching_of(thread);
	struct switch_item item;
	struct off_interval interval;

	while (sprof_switching_take(switching, until_ns, &item)) {
		if (item.is_off) {
			sprof_switching_off(switching, &item);
			continue;
		}
		take_first(switching, thread, item.time_ns);
		if (sprof_switching_on(switching, item.time_ns, &interval))
			count(exact, thread, &interval);
	}
}

static void add_switch(
	struct exact *exact, struct sprof_thread *thread, const struct sprof_switch_record *record)
{
	struct switching *switching = exact->is_on ? open(exact, thread) : switching_of(thread);
	const struct switch_item item = {
		.time_ns = record->time_ns,
		.is_off = record->kind == SPROF_SWITCH_OFF,
		.preempted = record->preempted,
	};

	if (switching && !sprof_switching_add(switching, &item))
		exact->run->out_of_memory = true;
}

/* Nobody has looked at its page faults since the last tick. */
static void doubt(struct exact *exact, const struct sprof_thread *thread)
{
	struct sampled_process *process = thread->process->sampling;

	if (process->exact_ns != exact->read_ns)
		sprof_mappings_doubt(&process->mappings);
	process->exact_ns = exact->read_ns;
}

/* Places of a program from before an exec can't be named any more. */
static void add_place(
	struct exact *exact, struct sprof_thread *thread, const struct sprof_switch_record *record)
{
	struct switching *switching = switching_of(thread);
	const struct sampled_process *process = thread->process->sampling;
	struct off_place place;

	if (!switching || !exact->is_on || !process || record->time_ns < process->executed_ns ||
		thread->process->former_maps.count || sprof_mappings_are_gone(thread->process) ||
		sprof_switching_was_preempted(switching, record->time_ns))
		return;
	sprof_mappings_begin(exact->run->world, thread->process);
	switching->by_ticks = !sprof_exact_places_can_tell(thread);
	if (switching->by_ticks)
		return;
	doubt(exact, thread);
	sprof_exact_places_find(&exact->places, exact->book, thread, record, &place);
	if (!sprof_switching_add_place(switching, &place))
		exact->run->out_of_memory = true;
}

/* A thread that has switched meanwhile may be anywhere. */
static void lose(struct exact *exact, uint64_t lost)
{
	const struct sprof_world *world = exact->run->world;
	struct sprof_thread **threads;
	size_t count;

	exact->run->quality->exact_lost += lost;
	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		struct switching *switching = switching_of(threads[i]);

		if (switching)
			switching->is_broken = true;
	}
}

/* A thread of this id that was seen later than the switch is another one. */
static void take(void *data, const struct sprof_switch_record *record)
{
	struct exact *exact = data;
	const struct sprof_world *world = exact->run->world;
	struct sprof_thread *thread;

	if (record->kind == SPROF_SWITCH_GAP) {
		lose(exact, record->lost);
		return;
	}
	thread = world->find(world->data, record->tid);
	if (!thread || record->time_ns < thread->seen_ns)
		return;
	if (record->kind == SPROF_SWITCH_PLACE)
		add_place(exact, thread, record);
	else
		add_switch(exact, thread, record);
}

/* Its parent may not have been covered yet when it was born. */
static bool is_left_out(const struct exact *exact, const struct sprof_thread *thread)
{
	return !switching_of(thread) && thread->born && thread->seen_ns >= exact->begin_ns &&
		thread->seen_ns < exact->covered_ns;
}

static void read_log(struct exact *exact)
{
	const struct sprof_world *world = exact->run->world;

	exact->read_ns = now_of(exact->run);
	world->switches_read(world->data, take, exact);
}

void sprof_exact_read(struct exact *exact, bool all)
{
	const struct sprof_world *world = exact->run->world;
	const uint64_t before_ns = exact->read_ns;
	struct sprof_thread **threads;
	size_t count;

	read_log(exact);
	/* What the first reading has missed on one CPU may have its end on another one. */
	if (all)
		read_log(exact);
	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		if (is_left_out(exact, threads[i]) && !cover(exact, threads[i]))
			continue;
		if (!switching_of(threads[i]))
			continue;
		release(exact, threads[i], all ? UINT64_MAX : before_ns);
		if (all)
			tell_rest(exact, threads[i]);
	}
}

/* A sleep that began before its recording has no switch that tells of it. */
static void note_sleep(struct exact *exact, struct switching *switching)
{
	if (!switching->is_known && !switching->switches.count)
		sprof_switching_found_off(switching, exact->from_ns);
}

static void remember(struct switching *switching, const struct sprof_sample *sample)
{
	switching->tick = *sample;
	if (!sample->holder)
		return;
	switching->holder = *sample->holder;
	switching->tick.holder = &switching->holder;
}

static bool are_known(void *data, const struct sprof_thread *thread)
{
	const struct switching *switching = switching_of(thread);

	return switching && !switching->by_ticks;
}

/* Up to the tick, if it is known to have lasted until then. */
static bool seen(void *data, struct sprof_thread *thread, const struct sprof_sample *sample)
{
	struct exact *exact = data;
	struct switching *switching = switching_of(thread);
	struct sprof_waited part;

	if (!are_known(data, thread) || !sprof_state_is_blocked(sample->state))
		return false;
	if (!sprof_exact_places_can_tell(thread)) {
		switching->by_ticks = true;
		return false;
	}
	note_sleep(exact, switching);
	remember(switching, sample);
	if (!switching->is_off || switching->preempted || sample->time_ns <= switching->since_ns ||
		sprof_switching_went_on(switching, sample->time_ns))
		return true;
	part = rest_of(exact, switching,
		&(struct off_interval){switching->since_ns, sample->time_ns, false});
	if (!part.ns)
		return true;
	if (is_seen_by(switching, sample))
		tell(exact, thread, sample, &part);
	else
		tell_place(exact, thread, &part);
	switching->told_ns = sample->time_ns;
	switching->is_counted = true;
	return true;
}

void sprof_exact_ended(struct exact *exact, struct sprof_thread *thread)
{
	read_log(exact);
	if (!switching_of(thread))
		return;
	release(exact, thread, UINT64_MAX);
	tell_rest(exact, thread);
}

void sprof_exact_executed(struct exact *exact, struct sprof_thread *thread)
{
	struct sampled_process *process = sprof_sampled_process_of(thread->process);
	struct switching *switching = switching_of(thread);

	if (process)
		process->executed_ns = now_of(exact->run);
	if (switching)
		switching->by_ticks = false;
	sprof_call_places_forget(&exact->places.calls, thread->process);
}

static void for_each(
	const struct exact *exact, void (*act)(struct switching *switching, uint64_t now_ns))
{
	const struct sprof_world *world = exact->run->world;
	const uint64_t now_ns = now_of(exact->run);
	struct sprof_thread **threads;
	size_t count;

	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++) {
		struct switching *switching = switching_of(threads[i]);

		if (switching)
			act(switching, now_ns);
	}
}

void sprof_exact_pause(struct exact *exact)
{
	exact->is_on = false;
	exact->from_ns = UINT64_MAX;
	for_each(exact, sprof_switching_pause);
}

/* Those that sleep since before have no switch that would tell that they are covered. */
void sprof_exact_resume(struct exact *exact)
{
	const struct sprof_world *world = exact->run->world;
	struct sprof_thread **threads;
	size_t count;

	exact->is_on = true;
	exact->from_ns = now_of(exact->run);
	for_each(exact, sprof_switching_resume);
	threads = world->threads(world->data, &count);
	for (size_t i = 0; i < count; i++)
		open(exact, threads[i]);
}

void sprof_exact_restart(struct exact *exact)
{
	sprof_exact_places_restart(&exact->places);
	for_each(exact, sprof_switching_restart);
}
