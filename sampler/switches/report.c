/*
 * Hands waits to the sink. A wait that a tick has seen comes in parts: up to the tick at once, the
 * rest when it has ended. It gets its place from the tick, which knows more; a wait that no tick
 * has seen gets its place from the kernel's record. Does not handle where waits come from.
 */
#include "base/numbers.h"
#include "sampler/switches/exact.h"

static struct sprof_holder holder_of(const struct sprof_sample *where)
{
	return where->holder ? *where->holder : (struct sprof_holder){.thread = SPROF_RECORD_NONE};
}

/* Whether the present wait's earlier parts are in the same row of the sink. */
static bool is_in_row(const struct switching_row *row, const struct sprof_sample *where)
{
	const struct sprof_holder holder = holder_of(where);

	return row->stack == where->stack && row->wait == where->wait &&
		row->state == where->state && row->holder.thread == holder.thread &&
		row->holder.stack == holder.stack;
}

/*
 * How long the wait has been in its row: the parts of a wait go to several rows if its lock changes
 * hands, or if a place is known later.
 */
static uint64_t length_in_row(struct switching *switching, const struct sprof_sample *where,
	const struct sprof_waited *waited)
{
	struct switching_row *row = &switching->row;

	if (!switching->is_counted || !row->since_ns || !is_in_row(row, where))
		*row = (struct switching_row){
			.since_ns = waited->begin_ns,
			.stack = where->stack,
			.wait = where->wait,
			.state = where->state,
			.holder = holder_of(where),
		};
	return sprof_minus(waited->end_ns, row->since_ns);
}

static void report(struct exact *exact, struct sprof_thread *thread,
	const struct sprof_sample *where, struct sprof_waited *waited)
{
	const struct sprof_sink *sink = exact->run->sink;

	waited->longest_ns = length_in_row(thread->sampling->switching, where, waited);
	sprof_account_weigh(&thread->sampling->account, where->state, waited->ns);
	if (sink->waited && sprof_mode_takes(exact->run->options->mode, where->state) &&
		!sink->waited(sink->data, where, waited))
		exact->run->out_of_memory = true;
}

/* The part of a wait that the sink does not know yet. */
static struct sprof_waited rest_of(const struct exact *exact, const struct switching *switching,
	const struct off_interval *interval)
{
	const uint64_t begin_ns =
		sprof_most(sprof_most(interval->begin_ns, switching->reported_ns), exact->from_ns);

	return (struct sprof_waited){
		.begin_ns = begin_ns,
		.end_ns = interval->end_ns,
		.ns = sprof_minus(interval->end_ns, begin_ns),
		.waits = !switching->is_counted,
		.longest_ns = sprof_minus(
			interval->end_ns, sprof_most(interval->begin_ns, exact->from_ns)),
	};
}

/*
 * A tick knows more of a wait that it has seen: what it is for, and the holder of its lock. But it
 * looks a little later than its time, and may have seen the next wait; then the stack is another
 * one.
 */
static bool is_seen_by(const struct switching *switching, const struct sprof_sample *tick)
{
	return !switching->has_place || switching->place.is_cut ||
		switching->place.stack == tick->stack;
}

/* Hands it over with its own place, together with earlier waits that have none. */
static void report_at_place(
	struct exact *exact, struct sprof_thread *thread, struct sprof_waited *rest)
{
	struct switching *switching = sprof_exact_switching(thread);
	const struct off_place *place = &switching->place;
	const struct sprof_sample where = {
		.thread = thread->id,
		.stack = place->stack,
		.state = place->state,
		.wait = place->wait,
		.time_ns = place->time_ns,
	};

	rest->ns += switching->unplaced_ns;
	rest->waits += switching->unplaced;
	switching->unplaced = switching->unplaced_ns = 0;
	report(exact, thread, &where, rest);
}

void sprof_exact_report_rest(struct exact *exact, struct sprof_thread *thread)
{
	struct switching *switching = sprof_exact_switching(thread);
	struct sprof_waited rest = {0};

	if (switching->unplaced && switching->place.time_ns && exact->is_on)
		report_at_place(exact, thread, &rest);
}

void sprof_exact_report_ended(
	struct exact *exact, struct sprof_thread *thread, const struct off_interval *interval)
{
	struct switching *switching = thread->sampling->switching;
	const struct sprof_sample *tick = &switching->tick;
	struct sprof_waited rest = rest_of(exact, switching, interval);

	if (switching->by_ticks || (!rest.ns && !rest.waits))
		return;
	if (exact->run->exact && tick->time_ns >= sprof_most(interval->begin_ns, 1) &&
		tick->time_ns <= interval->end_ns && is_seen_by(switching, tick)) {
		report(exact, thread, tick, &rest);
	} else if (switching->has_place) {
		report_at_place(exact, thread, &rest);
	} else {
		switching->unplaced += rest.waits;
		switching->unplaced_ns += rest.ns;
		exact->run->quality->exact_unplaced += rest.waits;
	}
	switching->reported_ns = sprof_most(switching->reported_ns, interval->end_ns);
}

/* Hands over the wait up to the tick, if it is known to have lasted until then. */
bool sprof_exact_report_seen(
	struct exact *exact, struct sprof_thread *thread, const struct sprof_sample *sample)
{
	struct switching *switching = sprof_exact_switching(thread);
	struct sprof_waited part;

	if (!switching || switching->by_ticks || !sprof_state_is_blocked(sample->state))
		return false;
	if (!sprof_exact_places_fit(thread)) {
		switching->by_ticks = true;
		return false;
	}
	if (sample->is_further)
		return true;
	/*
	 * A sleep that began before its recording has no switch. A tick shows it, once a reading
	 * after that tick has given no switch either.
	 */
	if (!switching->is_known && !switching->count && switching->tick.time_ns &&
		switching->tick.time_ns < exact->read_ns)
		sprof_switching_found_off(switching, exact->from_ns);
	switching->tick = *sample;
	if (sample->holder) {
		switching->holder = *sample->holder;
		switching->tick.holder = &switching->holder;
	}
	if (!switching->is_off || switching->preempted || sample->time_ns <= switching->since_ns ||
		sprof_switching_went_on(switching, sample->time_ns))
		return true;
	part = rest_of(exact, switching,
		&(struct off_interval){switching->since_ns, sample->time_ns, false});
	if (!part.ns)
		return true;
	if (is_seen_by(switching, sample))
		report(exact, thread, sample, &part);
	else
		report_at_place(exact, thread, &part);
	switching->reported_ns = sample->time_ns;
	switching->is_counted = true;
	return true;
}
