/*
 * Turns recorded events into moments. Births and ends, which ptrace reports, are put among the
 * records by their times.
 */
#include "events/wakeups/wakeups.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/numbers.h"
#include "events/recorded/events.h"
#include "events/recorded/tid-owners.h"
#include "events/wakeups/families.h"
#include "events/wakeups/strangers.h"

/* Values of a sched_waking record (events/event-type.c). */
enum { SLEEPER = 1, FLAGS = 4 };

/* include/linux/trace_events.h, enum trace_flag_type: of the code that wakes. */
enum { IN_HARD_INTERRUPT = 0x08, IN_SOFT_INTERRUPT = 0x10, IN_NMI = 0x40 };

struct sprof_wakeups {
	struct sprof_wakeups_sink sink;
	struct sprof_recorded_events *recorded;
	struct sprof_event_source records; /* its own source */
	struct sprof_target *target;
	struct sprof_tid_owners owners;
	struct wakeup_families families;
	struct wakeup_strangers strangers;
	uint64_t begin_ns, end_ns;
	pid_t own_pid;
	bool out_of_memory;
};

static bool give(struct sprof_wakeups *wakeups, const struct sprof_moment *moment)
{
	return wakeups->sink.moment(wakeups->sink.data, moment);
}

/* The running thread is the waker, unless it was interrupted. */
static bool find_waker(struct sprof_wakeups *wakeups, const struct sprof_trace_event *event,
	struct sprof_moment *moment)
{
	const int64_t flags = event->fields[FLAGS].integer;
	uint32_t child;

	moment->by = UINT32_MAX;
	if (flags & (IN_HARD_INTERRUPT | IN_NMI)) {
		moment->waker = SPROF_WAKER_INTERRUPT;
	} else if (flags & IN_SOFT_INTERRUPT) {
		moment->waker = SPROF_WAKER_SOFT_INTERRUPT;
	} else if (event->thread != SPROF_TRACE_FOREIGN) {
		moment->waker = SPROF_WAKER_THREAD;
		moment->by = event->thread;
	} else if (event->pid == wakeups->own_pid) {
		child = wakeup_families_take_end(&wakeups->families, moment->thread);
		moment->waker = child == UINT32_MAX ? SPROF_WAKER_SPROF : SPROF_WAKER_THREAD;
		moment->by = child;
	} else {
		return wakeup_strangers_find(
			&wakeups->strangers, event->tid, event->time_ns, &wakeups->sink, moment);
	}
	return true;
}

static bool take_waking(struct sprof_wakeups *wakeups, const struct sprof_trace_event *event)
{
	struct sprof_moment moment = {
		.time_ns = event->time_ns,
		.kind = SPROF_MOMENT_WOKEN,
		.thread = sprof_tid_owners_find(
			&wakeups->owners, (pid_t)event->fields[SLEEPER].integer, event->time_ns),
	};

	if (moment.thread == SPROF_IDMAP_NONE)
		return true;
	return find_waker(wakeups, event, &moment) && give(wakeups, &moment);
}

/* `born` is the new thread's id. */
static bool take_birth(
	struct sprof_wakeups *wakeups, const struct sprof_trace_event *event, uint32_t born)
{
	const struct sprof_moment moment = {
		.time_ns = event->time_ns,
		.thread = born,
		.by = event->thread,
		.kind = SPROF_MOMENT_BORN,
		.waker = SPROF_WAKER_THREAD,
	};

	return born == SPROF_IDMAP_NONE || event->thread == SPROF_TRACE_FOREIGN ||
		give(wakeups, &moment);
}

static bool take_event(void *data, const struct sprof_trace_event *event)
{
	struct sprof_wakeups *wakeups = data;
	struct sprof_moment moment = {.time_ns = event->time_ns, .thread = event->thread};

	wakeups->owners.settled_ns = event->time_ns;
	switch (event->type) {
	case SPROF_TRACE_WAKING:
		return take_waking(wakeups, event);
	case SPROF_TRACE_WAKEUP_NEW:
		return take_birth(wakeups, event,
			sprof_tid_owners_find(&wakeups->owners,
				(pid_t)event->fields[SLEEPER].integer, event->time_ns));
	case SPROF_TRACE_CLONE:
		return take_birth(wakeups, event, (uint32_t)event->fields[0].integer);
	case SPROF_TRACE_EXIT:
		moment.kind = SPROF_MOMENT_ENDED;
		wakeup_families_end(&wakeups->families, event->thread, event->time_ns);
		break;
	case SPROF_TRACE_ON:
		moment.kind = SPROF_MOMENT_ON;
		break;
	case SPROF_TRACE_OFF:
		moment.kind = event->fields[0].integer ? SPROF_MOMENT_PREEMPTED : SPROF_MOMENT_OFF;
		wakeup_families_off(&wakeups->families, event->thread, event->time_ns);
		break;
	default:
		return true;
	}
	return event->thread == SPROF_TRACE_FOREIGN || give(wakeups, &moment);
}

static void take_gap(void *data, uint64_t since_ns, uint64_t end_ns)
{
	struct sprof_wakeups *wakeups = data;
	const struct sprof_moment moment = {
		.time_ns = end_ns,
		.by = (uint32_t)sprof_least(
			sprof_minus(end_ns, since_ns) / SPROF_NS_PER_US + 1, UINT32_MAX),
		.kind = SPROF_MOMENT_GAP,
	};

	if (!give(wakeups, &moment))
		wakeups->out_of_memory = true;
}

bool sprof_wakeups_create(const struct sprof_wakeups_sink *sink, bool follow_children,
	struct sprof_wakeups **ret, struct sprof_perf_denial *ret_denial)
{
	struct sprof_wakeups *wakeups = calloc(1, sizeof(*wakeups));
	enum sprof_trace_type type;
	const struct sprof_recorded_options options = {
		.wants.types = 1U << SPROF_TRACE_OFF | 1U << SPROF_TRACE_ON |
			1U << SPROF_TRACE_WAKING | 1U << SPROF_TRACE_WAKEUP_NEW,
		.follow_children = follow_children,
		.sink = {wakeups, take_event},
		.gap = take_gap,
	};

	*ret = NULL;
	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_OTHER, 0};
	if (!wakeups)
		return false;
	wakeups->sink = *sink;
	wakeups->own_pid = getpid();
	if (!sprof_recorded_events_create(&options, &wakeups->recorded, &type, ret_denial)) {
		sprof_wakeups_destroy(wakeups);
		return false;
	}
	wakeups->records = sprof_recorded_events_source(wakeups->recorded);
	*ret = wakeups;
	return true;
}

void sprof_wakeups_destroy(struct sprof_wakeups *wakeups)
{
	if (!wakeups)
		return;
	sprof_recorded_events_destroy(wakeups->recorded);
	sprof_tid_owners_finish(&wakeups->owners);
	wakeup_families_finish(&wakeups->families);
	wakeup_strangers_finish(&wakeups->strangers);
	free(wakeups);
}

struct sprof_wakeups_figures sprof_wakeups_figures(const struct sprof_wakeups *wakeups)
{
	const struct sprof_recorded_gaps gaps = sprof_recorded_events_gaps(wakeups->recorded);

	return (struct sprof_wakeups_figures){
		.begin_ns = wakeups->begin_ns,
		.end_ns = wakeups->end_ns,
		.lost = gaps.lost,
		.unwatched = gaps.unwatched,
	};
}

static void know_threads(struct sprof_wakeups *wakeups)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(wakeups->target, &count);
	for (size_t i = 0; i < count; i++) {
		if (!wakeup_families_know(&wakeups->families, threads[i]))
			wakeups->out_of_memory = true;
	}
	if (!sprof_tid_owners_know(&wakeups->owners, wakeups->target))
		wakeups->out_of_memory = true;
}

static void begin(void *data, struct sprof_target *target)
{
	struct sprof_wakeups *wakeups = data;

	wakeups->target = target;
	wakeups->begin_ns = sprof_clock_now_ns();
	know_threads(wakeups);
}

/* Puts it among the records, in order of time. */
static void add(struct sprof_wakeups *wakeups, const struct sprof_event *event,
	enum sprof_trace_type type, int64_t value)
{
	const struct sprof_trace_sink sink = sprof_recorded_events_sink(wakeups->recorded);
	const struct sprof_trace_value fields[] = {{.integer = value}};

	if (!sink.event(sink.data,
		    &(struct sprof_trace_event){
			    .time_ns = event->time_ns,
			    .thread = event->thread->id,
			    .type = type,
			    .fields = fields,
		    }))
		wakeups->out_of_memory = true;
}

static void take(void *data, const struct sprof_event *event)
{
	struct sprof_wakeups *wakeups = data;
	const bool loses_id = event->kind == SPROF_EVENT_ENDED ||
		(event->kind == SPROF_EVENT_EXEC &&
			event->former_tid != event->thread->process->pid);

	if (event->kind == SPROF_EVENT_BORN) {
		if (!wakeup_families_born(&wakeups->families, event->thread, event->born.thread))
			wakeups->out_of_memory = true;
		know_threads(wakeups);
		add(wakeups, event, SPROF_TRACE_CLONE, event->born.thread->id);
	}
	if (loses_id &&
		!sprof_tid_owners_end(
			&wakeups->owners, event->former_tid, event->thread->id, event->time_ns))
		wakeups->out_of_memory = true;
	if (event->kind == SPROF_EVENT_EXEC)
		know_threads(wakeups);
	if (event->kind == SPROF_EVENT_ENDED)
		add(wakeups, event, SPROF_TRACE_EXIT, 0);
}

static bool poll_nothing(void *data, uint64_t now_ns)
{
	return !((struct sprof_wakeups *)data)->out_of_memory;
}

static uint64_t due_ns(const void *data)
{
	return ((const struct sprof_wakeups *)data)->out_of_memory ? 0 : UINT64_MAX;
}

static void end(void *data, uint64_t now_ns)
{
	((struct sprof_wakeups *)data)->end_ns = now_ns;
}

void sprof_wakeups_sources(
	struct sprof_wakeups *wakeups, struct sprof_event_source ret[SPROF_WAKEUPS_SOURCES])
{
	ret[0] = wakeups->records;
	ret[1] = (struct sprof_event_source){
		.data = wakeups,
		.begin = begin,
		.take = take,
		.due_ns = due_ns,
		.poll = poll_nothing,
		.end = end,
	};
}
