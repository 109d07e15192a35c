/*
 * Reads the switches of threads (events/sched/switch-log.h) and makes waits of them, which
 * sprof_exact_report_ended() hands over. Does not handle threads that the kernel does not record:
 * ticks show their waits.
 */
#include "sampler/switches/exact.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/numbers.h"
#include "sampler/sampled.h"
#include "sampler/stack/mappings.h"

enum {
	READ_NS = 20 * SPROF_NS_PER_MS,
	/* A birth during the covering may be seen that much later. */
	BIRTH_NS = 200 * SPROF_NS_PER_MS,
};

/* Returns NULL if the thread is gone or out of memory. */
static struct switching *open(struct exact *exact, struct sprof_thread *thread)
{
	struct switching *switching = sprof_exact_switching(thread);

	if (switching || !sprof_book_open(exact->book, thread))
		return switching;
	switching = calloc(1, sizeof(*switching));
	if (switching)
		thread->sampling->switching = switching;
	else
		exact->run->out_of_memory = true;
	return switching;
}

static void cover(struct exact *exact, struct sprof_thread *thread)
{
	const struct sprof_world *world = exact->run->world;
	struct sprof_perf_denial denial;

	if (!world->switches_cover(world->switches, thread->tid, &denial))
		exact->run->quality->exact_refused += denial.reason != SPROF_PERF_GONE;
	else if (exact->is_on)
		(void)open(exact, thread);
}

void sprof_exact_begin(struct exact *exact, struct book *book, bool is_on)
{
	struct run *run = book->run;
	const struct threads threads = threads_of(run);
	const struct sprof_switch_log_plan plan = {
		.places = run->options->exact_waits == SPROF_EXACT_STACKS,
		.threads = run->options->heirs,
		.processes = run->options->processes,
	};
	struct sprof_perf_denial denial;

	*exact = (struct exact){.run = run, .book = book, .from_ns = UINT64_MAX};
	if (!run->world->switches_begin(run->world->switches, &plan, &denial)) {
		run->quality->exact_refused += threads.count;
		return;
	}
	exact->read_ns = now_of(run);
	exact->is_open = true;
	if (plan.places)
		run->exact = exact;
	exact->is_on = is_on;
	exact->from_ns = is_on ? exact->read_ns : UINT64_MAX;
	for (size_t i = 0; i < threads.count; i++) {
		cover(exact, threads.items[i]);
		if (threads.items[i]->id >= exact->next_id)
			exact->next_id = threads.items[i]->id + 1;
	}
	exact->settled_ns = now_of(run) + BIRTH_NS;
}

uint64_t sprof_exact_due_ns(const struct exact *exact)
{
	return exact->is_open ? exact->read_ns + READ_NS : UINT64_MAX;
}

/* Time in a stop is our doing; the run-queue time after it is the kernel's. */
static void count(
	struct exact *exact, struct sprof_thread *thread, const struct off_interval *interval)
{
	const enum off_kind kind = sprof_switching_count(
		sprof_exact_switching(thread), interval, sprof_switching_resumed(thread, interval));

	if (kind != OFF_WAIT || !exact->is_on)
		return;
	exact->run->quality->exact_waits++;
	sprof_exact_report_ended(exact, thread, interval);
}

static void release(struct exact *exact, struct sprof_thread *thread, uint64_t until_ns)
{
	struct switching *switching = sprof_exact_switching(thread);
	struct switch_item item;
	struct off_interval interval;

	while (sprof_switching_take(switching, until_ns, &item)) {
		if (item.kind == SWITCH_OFF) {
			sprof_switching_off(switching, &item);
			continue;
		}
		/* A thread that gets its first CPU has been on none since its recording began. */
		if (!switching->is_known) {
			if (thread->born && thread->seen_ns >= exact->from_ns)
				switching->off_ns += sprof_minus(item.time_ns, thread->seen_ns);
			else
				sprof_switching_found_off(switching, exact->from_ns);
		}
		if (sprof_switching_on(switching, item.time_ns, &interval))
			count(exact, thread, &interval);
	}
	sprof_thread_forget_resumes(thread, switching->since_ns);
}

/* Places of a program from before an exec can't be named any more. */
static void add_place(
	struct exact *exact, struct sprof_thread *thread, const struct sprof_switch_record *record)
{
	struct switching *switching = sprof_exact_switching(thread);
	struct switch_item item = {.time_ns = record->time_ns, .kind = SWITCH_PLACE};
	struct sampled_process *process = thread->process->sampling;

	if (!switching || !exact->is_on || !process ||
		record->time_ns < thread->process->executed_ns ||
		thread->process->former_maps.count || sprof_mappings_are_gone(thread->process) ||
		sprof_switching_was_preempted(switching, record->time_ns))
		return;
	sprof_mappings_begin(exact->run->world, thread->process);
	switching->by_ticks = !sprof_exact_places_fit(thread);
	if (switching->by_ticks)
		return;
	/* No look has seen its page faults since the last tick. */
	if (process->exact_ns != exact->read_ns)
		sprof_mappings_doubt(&process->mappings);
	process->exact_ns = exact->read_ns;
	sprof_exact_places_find(&exact->places, exact->book, thread, record, &item.place);
	if (!sprof_switching_add(switching, &item))
		exact->run->out_of_memory = true;
}

/* A thread that has switched meanwhile may be anywhere. */
static void lose(struct exact *exact, const struct sprof_switch_record *record)
{
	const struct switch_item gap = {
		.time_ns = record->since_ns, .kind = SWITCH_GAP, .gap_ns = record->time_ns};
	const struct threads threads = threads_of(exact->run);

	exact->run->quality->exact_lost += record->lost;
	for (size_t i = 0; i < threads.count; i++) {
		struct switching *switching = sprof_exact_switching(threads.items[i]);

		if (switching && !sprof_switching_add(switching, &gap))
			exact->run->out_of_memory = true;
	}
}

/* A thread with this id that was first seen after the switch is another one. */
static void take(void *data, const struct sprof_switch_record *record)
{
	struct exact *exact = data;
	const struct sprof_world *world = exact->run->world;
	struct switching *switching;
	struct sprof_thread *thread;
	struct switch_item item;

	if (record->kind == SPROF_SWITCH_GAP) {
		lose(exact, record);
		return;
	}
	thread = world->find(world->target, record->tid);
	if (!thread || record->time_ns < thread->seen_ns)
		return;
	if (record->kind == SPROF_SWITCH_PLACE) {
		add_place(exact, thread, record);
		return;
	}
	item = (struct switch_item){
		.time_ns = record->time_ns,
		.kind = record->kind == SPROF_SWITCH_OFF ? SWITCH_OFF : SWITCH_ON,
		.preempted = record->preempted,
	};
	switching = exact->is_on ? open(exact, thread) : sprof_exact_switching(thread);
	if (switching && !sprof_switching_add(switching, &item))
		exact->run->out_of_memory = true;
}

/*
 * Each thread is judged once. Its parent may not have been covered yet when it was born; a covered
 * thread has a record by then: it was resumed after its birth, before the last reading. One that
 * was left out may have had children meanwhile.
 */
static void cover_left_out(struct exact *exact, const struct threads *threads, uint64_t before_ns)
{
	uint32_t next_id = exact->next_id;

	for (size_t i = 0; i < threads->count; i++) {
		struct sprof_thread *thread = threads->items[i];

		if (thread->seen_ns >= before_ns || thread->id < exact->next_id)
			continue;
		if (thread->born && thread->seen_ns < exact->settled_ns &&
			!sprof_exact_switching(thread)) {
			cover(exact, thread);
			exact->settled_ns = now_of(exact->run) + BIRTH_NS;
		}
		if (thread->id >= next_id)
			next_id = thread->id + 1;
	}
	exact->next_id = next_id;
}

static void read_log(struct exact *exact)
{
	const struct sprof_world *world = exact->run->world;

	exact->read_ns = now_of(exact->run);
	world->switches_read(world->switches, take, exact);
}

void sprof_exact_read(struct exact *exact, bool all)
{
	const uint64_t before_ns = exact->read_ns;
	struct threads threads;

	read_log(exact);
	/* What the first reading has missed on one CPU may have its end on another one. */
	if (all)
		read_log(exact);
	threads = threads_of(exact->run);
	cover_left_out(exact, &threads, before_ns);
	for (size_t i = 0; i < threads.count; i++) {
		struct sprof_thread *thread = threads.items[i];

		if (!sprof_exact_switching(thread)) {
			sprof_thread_forget_resumes(thread, before_ns);
			continue;
		}
		release(exact, thread, all ? UINT64_MAX : before_ns);
		if (all)
			sprof_exact_report_rest(exact, thread);
	}
}

void sprof_exact_ended(struct exact *exact, struct sprof_thread *thread)
{
	read_log(exact);
	if (!sprof_exact_switching(thread))
		return;
	release(exact, thread, UINT64_MAX);
	sprof_exact_report_rest(exact, thread);
}

void sprof_exact_executed(struct exact *exact, struct sprof_thread *thread)
{
	struct switching *switching = sprof_exact_switching(thread);

	if (switching)
		switching->by_ticks = false;
	sprof_call_places_forget(&exact->places.calls, thread->process);
}

static void for_each(
	const struct exact *exact, void (*act)(struct switching *switching, uint64_t now_ns))
{
	const uint64_t now_ns = now_of(exact->run);
	const struct threads threads = threads_of(exact->run);

	for (size_t i = 0; i < threads.count; i++) {
		struct switching *switching = sprof_exact_switching(threads.items[i]);

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

/* A thread that has slept since before has no switch to show that it is covered. */
void sprof_exact_resume(struct exact *exact)
{
	const struct threads threads = threads_of(exact->run);

	exact->is_on = true;
	exact->from_ns = now_of(exact->run);
	for_each(exact, sprof_switching_resume);
	for (size_t i = 0; i < threads.count; i++)
		open(exact, threads.items[i]);
}

void sprof_exact_restart(struct exact *exact)
{
	/* They have ids of the old sink. */
	memset(exact->places.waits, 0, sizeof(exact->places.waits));
	for_each(exact, sprof_switching_restart);
}
