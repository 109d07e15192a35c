/*
 * Two software events per thread and CPU. One never counts and only produces PERF_RECORD_SWITCH
 * (PERF_COUNT_SW_DUMMY); it is permitted for the user's own processes if perf_event_paranoid is at
 * most 2. The other counts context switches and samples each with the user registers and stack; a
 * switch happens in kernel code, so this needs the permission for kernel events. The sample comes
 * before the switch record (kernel/events/core.c, perf_event_task_sched_out). Does not interpret
 * the records.
 */
#include "events/sched/switch-log.h"

#include <sys/resource.h>
#include <unistd.h>

#include "events/perf/rings.h"

enum {
	REST_SIZE = 512,             /* of a sample, without its stack */
	ALL_PLACES_RINGS = 16 << 20, /* of all CPUs, but each has some room: */
	PLACES_RING = 1 << 20,
	MOST_PLACES_RING = 8 << 20,
	/* With less, a few switches in a row are all that fits. */
	LEAST_PLACES_RING = 4 * (SPROF_PERF_STACK_SIZE + REST_SIZE),
	/* Both rings of a CPU stay within what perf_event_mlock_kb allows every user, 516 KiB. */
	SMALL_SWITCHES_RING = 128 << 10,
	SMALL_PLACES_RING = 256 << 10,
};

static void set_heirs(struct perf_event_attr *attributes, const struct sprof_switch_log_plan *plan)
{
	attributes->inherit = plan->threads;
	attributes->inherit_thread = plan->threads && !plan->processes;
	/* No wakeups needed: the ring is polled. */
	attributes->wakeup_watermark = UINT32_MAX;
}

static struct perf_event_attr switch_attributes(const struct sprof_switch_log_plan *plan)
{
	struct perf_event_attr attributes =
		sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attributes.context_switch = 1;
	set_heirs(&attributes, plan);
	return attributes;
}

static struct perf_event_attr place_attributes(const struct sprof_switch_log_plan *plan)
{
	struct perf_event_attr attributes =
		sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);

	attributes.exclude_kernel = 0;
	attributes.sample_period = 1;
	sprof_perf_ask_stack(&attributes);
	set_heirs(&attributes, plan);
	return attributes;
}

static bool try_open(struct perf_event_attr *attributes, struct sprof_perf_denial *ret_denial)
{
	int fd = sprof_perf_open(attributes, 0, -1, ret_denial);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool sprof_switch_log_is_permitted(
	const struct sprof_switch_log_plan *plan, struct sprof_perf_denial *ret_denial)
{
	struct perf_event_attr switches = switch_attributes(plan), places = place_attributes(plan);

	return try_open(&switches, ret_denial) && (!plan->places || try_open(&places, ret_denial));
}

static size_t places_ring(size_t cpus)
{
	size_t size = MOST_PLACES_RING;

	while (size > PLACES_RING && size * cpus > ALL_PLACES_RINGS)
		size /= 2;
	return size;
}

/* The memory that may be locked besides the switch rings, divided evenly; a power of two. */
static size_t allowed_places_ring(size_t cpus)
{
	const size_t most = places_ring(cpus);
	size_t size = SMALL_PLACES_RING;
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return size;
	/* Half of it: timers (events/perf/timer.h) take some, too. */
	while (size < most && size * 2 <= limit.rlim_cur / 2 / cpus)
		size *= 2;
	return size;
}

static void set_sizes(struct sprof_switch_log *log)
{
	const bool is_free = sprof_perf_may_lock_all();
	const size_t cpus = log->switches.cpus.count;

	log->switches.ring_size = is_free ? SPROF_PERF_RING_SIZE : SMALL_SWITCHES_RING;
	log->places.ring_size = is_free ? places_ring(cpus) : allowed_places_ring(cpus);
	log->places.largest_record = SPROF_PERF_STACK_SIZE + REST_SIZE;
}

bool sprof_switch_log_begin(struct sprof_switch_log *log, const struct sprof_switch_log_plan *plan,
	struct sprof_perf_denial *ret_denial)
{
	*log = (struct sprof_switch_log){.plan = *plan};
	if (!sprof_perf_rings_init(&log->switches, ret_denial) ||
		(plan->places && !sprof_perf_rings_init(&log->places, ret_denial)))
		return false;
	set_sizes(log);
	return true;
}

void sprof_switch_log_finish(struct sprof_switch_log *log)
{
	sprof_perf_rings_finish(&log->switches);
	sprof_perf_rings_finish(&log->places);
}

bool sprof_switch_log_cover(
	struct sprof_switch_log *log, pid_t tid, struct sprof_perf_denial *ret_denial)
{
	struct perf_event_attr switches = switch_attributes(&log->plan);
	struct perf_event_attr places = place_attributes(&log->plan);

	if (!sprof_perf_rings_add(&log->switches, &switches, tid, ret_denial))
		return false;
	if (!log->plan.places)
		return true;
	if (!sprof_perf_rings_add(&log->places, &places, tid, ret_denial))
		return false;
	if (log->places.ring_size >= LEAST_PLACES_RING)
		return true;
	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_NO_LOCKED_MEMORY, 0};
	return false;
}

struct reading {
	sprof_switch_taker take;
	void *data;
};

static void take_switch(void *data, const struct sprof_perf_record *record)
{
	const struct reading *reading = data;
	struct sprof_switch_record made = {
		.kind = record->switch_out ? SPROF_SWITCH_OFF : SPROF_SWITCH_ON,
		.tid = record->tid,
		.time_ns = record->time_ns,
		.preempted = record->preempted,
	};

	if (record->kind == SPROF_PERF_LOST) {
		made.kind = SPROF_SWITCH_GAP;
		made.since_ns = record->since_ns;
		made.lost = record->lost;
	} else if (record->kind != SPROF_PERF_SWITCH) {
		return;
	}
	reading->take(reading->data, &made);
}

/* A place that is missing is noticed by its OFF. */
static void take_place(void *data, const struct sprof_perf_record *record)
{
	const struct reading *reading = data;
	struct sprof_switch_record made = {
		.kind = SPROF_SWITCH_PLACE,
		.tid = record->tid,
		.time_ns = record->time_ns,
	};

	if (record->kind == SPROF_PERF_SAMPLE && sprof_perf_user_read(record, true, &made.user))
		reading->take(reading->data, &made);
}

void sprof_switch_log_read(struct sprof_switch_log *log, sprof_switch_taker take, void *data)
{
	struct reading reading = {take, data};

	if (log->switches.rings)
		sprof_perf_rings_drain(&log->switches, take_switch, &reading);
	if (log->places.rings)
		sprof_perf_rings_drain(&log->places, take_place, &reading);
}
