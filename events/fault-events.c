/*
 * Opens two events for each thread, of minor and of major faults: together they count what
 * proc_pid_stat(5) has as minflt and majflt (mm/memory.c: mm_account_fault), except for faults without
 * registers, which the kernel takes when it looks up pages itself (get_user_pages), and, where it
 * permits no more, all others in the kernel. New threads inherit the events, and have them from their
 * first instruction on.
 *
 * Does not handle what is mapped besides the page of the fault: neither huge pages, nor the
 * neighbours in a file (fault-around). Stacks are native: the kernel copies nothing else.
 */
#include "events/fault-events.h"

#include <stdlib.h>

#include "base/clock.h"
#include "events/fault-open.h"
#include "events/fault-pace.h"
#include "events/fault-stash.h"
#include "events/perf-registers.h"
#include "events/perf-ring-size.h"
#include "events/perf-rings.h"

enum {
	KINDS = 2, /* minor, major */
	MAJOR = 1,
	LARGE_RING = 16 << 20,
	POLL_NS = 5 * SPROF_NS_PER_MS,
	BUSY_POLL_NS = SPROF_NS_PER_MS,  /* as long as there are records */
	FRESH_NS = 10 * SPROF_NS_PER_MS, /* a new program is polled that often for that long: */
	FRESH_POLL_NS = SPROF_NS_PER_MS / 4,
	SOME_NS = SPROF_NS_PER_MS, /* for counting records, before the loop goes on */
	AT_ONCE = 16,              /* records that are counted before more are copied */
};

struct sprof_fault_events {
	struct sprof_fault_options options;
	struct sprof_target *target;
	const struct sprof_event_stacks *stacks; /* NULL: not offered yet */
	struct perf_event_attr attributes[KINDS];
	struct sprof_perf_rings rings;
	struct sprof_idmap kinds; /* (0, the kernel's id of an event) -> its kind, and its period */
	struct sprof_fault_pace pace;
	struct sprof_fault_stash stash;
	struct sprof_fault_threads threads;
	struct sprof_fault_figures figures;
	uint64_t records;  /* of the present reading */
	uint64_t next_ns;  /* when to read */
	uint64_t fresh_ns; /* until then a program is new: it maps its libraries */
	bool has_new_program, out_of_memory;
};

static struct perf_event_attr attributes_of(const struct sprof_fault_events *events, int kind)
{
	struct perf_event_attr attributes = sprof_perf_attributes(PERF_TYPE_SOFTWARE,
		kind == MAJOR ? PERF_COUNT_SW_PAGE_FAULTS_MAJ : PERF_COUNT_SW_PAGE_FAULTS_MIN);

	sprof_perf_ask_stack(&attributes);
	/* In small rings, more records are worth more than the far end of a few deep stacks. */
	if (events->rings.ring_size < LARGE_RING)
		attributes.sample_stack_user /= 2;
	attributes.sample_period = 1;
	attributes.inherit = 1;
	attributes.inherit_thread = !events->options.follow_children;
	return attributes;
}

/* With those of the kernel if that is permitted. */
static bool settle_attributes(
	struct sprof_fault_events *events, struct sprof_perf_denial *ret_denial)
{
	struct perf_event_attr *minor = &events->attributes[0];

	for (int kind = 0; kind < KINDS; kind++)
		events->attributes[kind] = attributes_of(events, kind);
	minor->exclude_kernel = 0;
	if (!sprof_fault_may_open(*minor, ret_denial)) {
		if (ret_denial->reason != SPROF_PERF_PARANOID)
			return false;
		minor->exclude_kernel = 1;
		events->figures.is_of_users_only = true;
		if (!sprof_fault_may_open(*minor, ret_denial))
			return false;
	}
	events->attributes[MAJOR].exclude_kernel = minor->exclude_kernel;
	return true;
}

bool sprof_fault_events_create(const struct sprof_fault_options *options,
	struct sprof_fault_events **ret, struct sprof_perf_denial *ret_denial)
{
	struct sprof_fault_events *events = calloc(1, sizeof(*events));

	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_OTHER, 0};
	*ret = NULL;
	if (!events)
		return false;
	events->options = *options;
	events->next_ns = UINT64_MAX;
	if (!sprof_perf_rings_init(&events->rings, ret_denial))
		goto failed;
	events->rings.ring_size = sprof_perf_ring_size(events->rings.cpus.count, true);
	events->rings.largest_record = SPROF_FAULT_RECORD;
	events->pace = sprof_fault_pace_begin(options->period);
	if (!settle_attributes(events, ret_denial))
		goto failed;
	*ret = events;
	return true;
failed:
	sprof_fault_events_destroy(events);
	return false;
}

void sprof_fault_events_destroy(struct sprof_fault_events *events)
{
	if (!events)
		return;
	sprof_perf_rings_finish(&events->rings);
	sprof_idmap_finish(&events->kinds);
	sprof_fault_threads_finish(&events->threads);
	sprof_fault_stash_finish(&events->stash);
	free(events);
}

struct sprof_fault_figures sprof_fault_events_figures(const struct sprof_fault_events *events)
{
	return events->figures;
}

static struct sprof_fault_count count_of(struct sprof_thread *thread)
{
	struct sprof_proc_stat stat;

	if (!sprof_thread_read_stat(thread, &stat))
		return (struct sprof_fault_count){0};
	return (struct sprof_fault_count){stat.minor_faults, stat.major_faults};
}

/* Periods that we choose are powers of two. */
static uint32_t kind_value(const struct sprof_fault_events *events, int kind)
{
	const unsigned log2 = (unsigned)__builtin_ctzll(events->pace.period);

	return (events->options.period ? 0 : log2) * KINDS + (uint32_t)kind;
}

static void open_thread(struct sprof_fault_events *events, pid_t tid)
{
	struct sprof_perf_denial denial;
	uint64_t id;

	for (int kind = 0; kind < KINDS; kind++) {
		struct perf_event_attr attributes = events->attributes[kind];
		const size_t first = events->rings.fd_count;

		attributes.sample_period = events->pace.period;
		if (!sprof_perf_rings_add(&events->rings, &attributes, tid, &denial) &&
			denial.reason != SPROF_PERF_GONE)
			events->figures.unwatched++;
		for (size_t i = first; i < events->rings.fd_count; i++) {
			if (sprof_perf_rings_id(&events->rings, i, &id) &&
				!sprof_idmap_put(&events->kinds, 0, id, kind_value(events, kind)))
				events->out_of_memory = true;
		}
	}
}

/* Whoever was born while we trace has had its events from the begin. */
static void know_thread(struct sprof_fault_events *events, struct sprof_thread *thread)
{
	struct sprof_fault_count first = {0};

	if (sprof_fault_threads_have(&events->threads, thread->id))
		return;
	if (!thread->born)
		first = count_of(thread);
	if (!sprof_fault_threads_add(&events->threads, thread->id, &first))
		events->out_of_memory = true;
}

static void know_threads(struct sprof_fault_events *events)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++)
		know_thread(events, threads[i]);
}

static void open_threads(struct sprof_fault_events *events)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++)
		open_thread(events, threads[i]->tid);
}

static void begin(void *data, struct sprof_target *target)
{
	struct sprof_fault_events *events = data;

	events->target = target;
	know_threads(events);
	open_threads(events);
	events->next_ns = sprof_clock_now_ns() + BUSY_POLL_NS;
}

/*
 * The kernel changes the period of an event, but not of those that threads have inherited from it. So
 * all threads get new ones, and then the old ones end. A thread that is being born just then may have
 * neither: its faults are not seen.
 */
static void change_period(struct sprof_fault_events *events)
{
	const size_t former = events->rings.fd_count;

	open_threads(events);
	(void)sprof_perf_rings_retire(&events->rings, former);
}

static bool expect(struct sprof_fault_events *events, struct sprof_thread *thread)
{
	if (!events->stacks)
		return false;
	if (events->stacks->expect(events->stacks->data, thread))
		return true;
	events->out_of_memory = true;
	return false;
}

/* As soon as the mappings are there: who ends soon takes them away. */
static void expect_programs(struct sprof_fault_events *events)
{
	struct sprof_thread **threads;
	size_t count;

	if (!events->has_new_program || !events->stacks)
		return;
	events->has_new_program = false;
	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++)
		(void)expect(events, threads[i]);
}

static void expect_new(struct sprof_fault_events *events)
{
	events->has_new_program = true;
	events->next_ns = 0;
	events->fresh_ns = sprof_clock_now_ns() + FRESH_NS;
}

static bool offer(void *data, const struct sprof_event_stacks *stacks)
{
	struct sprof_fault_events *events = data;

	events->stacks = stacks;
	expect_new(events);
	expect_programs(events);
	return !events->out_of_memory;
}

/* 0: it is not known. */
static uint32_t walk(struct sprof_fault_events *events, struct sprof_thread *thread,
	const struct sprof_fault_kept *kept)
{
	const struct sprof_event_stacks *stacks = events->stacks;
	const struct sprof_perf_user *user = &kept->user;
	uint32_t stack = 0;

	if (user->stack && stacks->take(stacks->data, thread, user, kept->record.time_ns) &&
		!stacks->walk(stacks->data, &stack))
		events->out_of_memory = true;
	return stack;
}

static struct sprof_fault_count weight_of(
	const struct sprof_fault_events *events, const struct sprof_perf_record *record)
{
	const uint32_t value = sprof_idmap_find(&events->kinds, 0, record->id);
	uint64_t weight = events->options.period;

	if (value == SPROF_IDMAP_NONE)
		return (struct sprof_fault_count){0};
	if (!weight)
		weight = UINT64_C(1) << value / KINDS;
	return value % KINDS == MAJOR ? (struct sprof_fault_count){.major = weight}
				      : (struct sprof_fault_count){.minor = weight};
}

/* Of what a record stands for, what the kernel has counted of the thread. */
static struct sprof_fault_count account(struct sprof_fault_events *events,
	struct sprof_thread *thread, const struct sprof_perf_record *record)
{
	struct sprof_fault_threads *threads = &events->threads;
	struct sprof_fault_count count = weight_of(events, record), known;

	if (!sprof_fault_threads_have_room(threads, thread->id, &count)) {
		known = count_of(thread);
		sprof_fault_threads_learn(threads, thread->id, &known);
	}
	sprof_fault_threads_saw(threads, thread->id, &count);
	events->figures.recorded += sprof_fault_count_sum(&count);
	return count;
}

/* Of a thread that has ended, there is nobody to count it for: it is unseen already. */
static void count_record(struct sprof_fault_events *events, const struct sprof_fault_kept *kept)
{
	const struct sprof_fault_sink *sink = &events->options.sink;
	struct sprof_thread *thread = sprof_target_find(events->target, kept->record.tid);
	struct sprof_fault_count count;

	if (!thread || !expect(events, thread))
		return;
	count = account(events, thread, &kept->record);
	if (sprof_fault_count_sum(&count) &&
		!sink->faults(sink->data, thread->id, walk(events, thread, kept), &count))
		events->out_of_memory = true;
}

static void take_record(void *data, const struct sprof_perf_record *record)
{
	struct sprof_fault_events *events = data;
	struct sprof_fault_kept kept = {.record = *record};

	if (record->kind != SPROF_PERF_SAMPLE)
		return;
	events->records++;
	if (!sprof_perf_user_read(record, true, &kept.user))
		kept.user = (struct sprof_perf_user){0};
	if (!sprof_fault_stash_put(&events->stash, &kept))
		count_record(events, &kept);
}

static void copy_records(struct sprof_fault_events *events)
{
	const uint64_t before = events->records;
	struct sprof_fault_load load;

	know_threads(events);
	sprof_perf_rings_drain(&events->rings, take_record, events);
	load = (struct sprof_fault_load){
		sprof_clock_now_ns(), events->records - before, events->rings.lost};
	if (sprof_fault_pace_step(&events->pace, &load))
		change_period(events);
}

/* What has been recorded so far. */
static void drain(struct sprof_fault_events *events)
{
	struct sprof_fault_kept kept;

	copy_records(events);
	while (sprof_fault_stash_take(&events->stash, &kept))
		count_record(events, &kept);
}

/* The same for a while: more records are copied meanwhile. Whether all have been counted. */
static bool drain_some(struct sprof_fault_events *events)
{
	const uint64_t end_ns = sprof_clock_now_ns() + SOME_NS;
	struct sprof_fault_kept kept;

	copy_records(events);
	for (unsigned i = 1; sprof_fault_stash_take(&events->stash, &kept); i++) {
		count_record(events, &kept);
		if (i % AT_ONCE)
			continue;
		copy_records(events);
		if (sprof_clock_now_ns() > end_ns)
			return false;
	}
	return true;
}

/*
 * A leader whose id another thread has taken by an exec is gone: what stands there now are the figures of
 * that thread.
 */
static struct sprof_fault_count last_of(
	const struct sprof_fault_events *events, struct sprof_thread *thread, bool has_ended)
{
	if (has_ended && !sprof_thread_has_figures(thread))
		return sprof_fault_threads_known(&events->threads, thread->id);
	return count_of(thread);
}

/* Its records have been read. */
static void settle(struct sprof_fault_events *events, struct sprof_thread *thread, bool has_ended)
{
	const struct sprof_fault_sink *sink = &events->options.sink;
	const struct sprof_fault_count last = last_of(events, thread, has_ended);
	struct sprof_fault_balance balance;

	if (!sprof_fault_threads_end(&events->threads, thread->id, &last, &balance))
		return;
	events->figures.all += sprof_fault_count_sum(&balance.all);
	if (sprof_fault_count_sum(&balance.unseen) && expect(events, thread) &&
		!sink->unseen(sink->data, thread->id, &balance.unseen))
		events->out_of_memory = true;
}

static void take(void *data, const struct sprof_event *event)
{
	struct sprof_fault_events *events = data;
	struct sprof_thread *born;

	if (event->kind == SPROF_EVENT_BORN) {
		born = sprof_target_find(events->target, event->born.tid);
		if (born)
			(void)expect(events, born);
	}
	/* What was mapped before is known for the last time. */
	if (event->kind == SPROF_EVENT_EXEC) {
		drain(events);
		expect_new(events);
	}
	if (event->kind == SPROF_EVENT_ENDED) {
		drain(events);
		settle(events, event->thread, true);
	}
}

/* A program may have ended soon: what it has mapped can't be read then. */
static uint64_t until_next(const struct sprof_fault_events *events)
{
	if (events->next_ns < events->fresh_ns)
		return FRESH_POLL_NS;
	return events->records ? BUSY_POLL_NS : POLL_NS;
}

static bool poll_rings(void *data, uint64_t now_ns)
{
	struct sprof_fault_events *events = data;
	bool is_done;

	expect_programs(events);
	events->records = 0;
	is_done = drain_some(events);
	events->next_ns = sprof_clock_now_ns();
	if (is_done)
		events->next_ns += until_next(events);
	return !events->out_of_memory;
}

static uint64_t due_ns(const void *data)
{
	const struct sprof_fault_events *events = data;

	return events->next_ns;
}

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

static void end(void *data, uint64_t now_ns)
{
	struct sprof_fault_events *events = data;
	struct sprof_fault_figures *figures = &events->figures;
	struct sprof_thread **threads;
	uint64_t counted, unseen;
	size_t count;

	sprof_perf_rings_disable(&events->rings);
	drain(events);
	threads = sprof_target_threads(events->target, &count);
	for (size_t i = 0; i < count; i++)
		settle(events, threads[i], false);
	counted = sprof_perf_rings_count(&events->rings);
	unseen = less(figures->all, figures->recorded);
	figures->in_kernel = less(figures->all, counted);
	if (figures->in_kernel > unseen)
		figures->in_kernel = unseen;
	figures->lost = unseen - figures->in_kernel;
}

struct sprof_event_source sprof_fault_events_source(struct sprof_fault_events *events)
{
	return (struct sprof_event_source){
		.data = events,
		.begin = begin,
		.offer = offer,
		.take = take,
		.due_ns = due_ns,
		.poll = poll_rings,
		.end = end,
	};
}
