/*
 * Computes delays from a thread's records. Does not handle records out of order
 * (events/perf/sched-order.h). An OFF or ON may arrive twice, from two sources or two events: the
 * first counts; the second, a few us later, has no effect.
 */
#include "events/sched/delays.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/numbers.h"
#include "events/sched/delay-sums.h"

/* The second one of two OFF of the same moment is not later than that. */
static const uint64_t same_moment_ns = 50000;

static struct sprof_delay_set *set_of(
	struct sprof_delays *delays, struct sprof_delay_thread *thread)
{
	return delays->options.per_thread ? &thread->interval : &delays->interval;
}

static void count_seen(struct sprof_delays *delays, struct sprof_delay_thread *thread,
	enum sprof_delay_kind kind, uint64_t ns)
{
	struct sprof_delay_counts *figures = &set_of(delays, thread)->kinds[kind];

	if (!sprof_histogram_add(&figures->seen, ns)) {
		delays->no_memory = true;
		return;
	}
	if (delays->options.than_ns && ns > delays->options.than_ns)
		figures->over++;
}

struct sprof_delay_thread *sprof_delays_find(const struct sprof_delays *delays, pid_t tid)
{
	uint32_t index = sprof_idmap_find(&delays->living, (uint64_t)tid, 0);

	return index == SPROF_IDMAP_NONE ? NULL : delays->threads[index];
}

static void set_name(struct sprof_delay_thread *thread, const char *name)
{
	const size_t length = strnlen(name, sizeof(thread->name) - 1);

	memcpy(thread->name, name, length);
	thread->name[length] = '\0';
}

/* Returns NULL if out of memory. */
static struct sprof_delay_thread *append(struct sprof_delays *delays, pid_t tid)
{
	struct sprof_delay_thread *thread = calloc(1, sizeof(*thread));

	if (!thread ||
		!sprof_array_reserve(&delays->threads, &delays->capacity, delays->count + 1,
			sizeof(struct sprof_delay_thread *)) ||
		!sprof_idmap_put(&delays->living, (uint64_t)tid, 0, (uint32_t)delays->count)) {
		free(thread);
		delays->no_memory = true;
		return NULL;
	}
	thread->tid = tid;
	delays->threads[delays->count++] = thread;
	return thread;
}

void sprof_delays_add_thread(struct sprof_delays *delays, pid_t tid, const char *name, bool runs)
{
	struct sprof_delay_thread *thread = sprof_delays_find(delays, tid);

	if (thread)
		return;
	thread = append(delays, tid);
	if (!thread)
		return;
	set_name(thread, name);
	thread->sums.spoiled = runs && !delays->options.has_wakeups;
	thread->sums.is_short = runs && delays->options.has_wakeups;
	thread->sums.counted_ns = delays->interval_begin_ns;
	thread->lived_from_ns = delays->interval_begin_ns;
}

/*
 * The parent is unknown if the thread was found in /proc: it has run unseen since its birth.
 *
 * A thread has its parent's name until it gets another (kernel/fork.c, dup_task_struct). Ids start
 * over after the largest one: the first records of such a thread may have been left out.
 */
static void be_born(struct sprof_delays *delays, const struct sprof_sched_record *record)
{
	const struct sprof_delay_thread *parent;
	struct sprof_delay_thread *thread;

	if (sprof_delays_find(delays, record->tid))
		return;
	thread = append(delays, record->tid);
	if (!thread)
		return;
	delays->lost += record->parent && record->tid <= delays->filtered_up_to &&
		record->time_ns > delays->filtered_ns;
	parent = sprof_delays_find(delays, record->parent);
	if (parent)
		set_name(thread, parent->name);
	thread->sums.has_base = true;
	thread->sums.is_short = delays->options.has_wakeups && !record->parent;
	thread->sums.counted_ns = record->time_ns;
	thread->lived_from_ns = record->time_ns;
}

static void live_until(
	struct sprof_delays *delays, struct sprof_delay_thread *thread, uint64_t time_ns)
{
	if (time_ns <= thread->lived_from_ns)
		return;
	set_of(delays, thread)->lived_ns += time_ns - thread->lived_from_ns;
	thread->lived_from_ns = time_ns;
}

static void destroy(struct sprof_delay_thread *thread)
{
	sprof_delay_set_finish(&thread->interval);
	sprof_delay_set_finish(&thread->total);
	free(thread);
}

static void move_figures(struct sprof_delays *delays, const struct sprof_delay_thread *thread)
{
	if (!sprof_delay_set_merge(&delays->interval, &thread->interval) ||
		!sprof_delay_set_merge(&delays->total, &thread->total))
		delays->no_memory = true;
}

/* The last thread takes its place. */
static void forget(struct sprof_delays *delays, uint32_t index)
{
	const struct sprof_delay_thread *last = delays->threads[delays->count - 1];

	move_figures(delays, delays->threads[index]);
	destroy(delays->threads[index]);
	delays->count--;
	if (index == delays->count)
		return;
	delays->threads[index] = delays->threads[delays->count];
	/* The key is there already, so this needs no memory. */
	if (!last->ended && !sprof_idmap_put(&delays->living, (uint64_t)last->tid, 0, index))
		delays->no_memory = true;
}

static void end_thread(
	struct sprof_delays *delays, struct sprof_delay_thread *thread, uint64_t time_ns)
{
	const uint32_t index = sprof_idmap_find(&delays->living, (uint64_t)thread->tid, 0);

	live_until(delays, thread, time_ns);
	thread->ended = true;
	thread->state = SPROF_DELAY_STATE_UNKNOWN;
	if (!delays->options.has_wakeups || thread->sums.is_short) {
		delays->unread++;
		delays->unread_ns += sprof_minus(time_ns, thread->sums.counted_ns);
	}
	sprof_idmap_remove(&delays->living, (uint64_t)thread->tid, 0);
	if (!delays->options.per_thread || delays->ended >= SPROF_DELAYS_MAX_ENDED)
		forget(delays, index);
	else
		delays->ended++;
}

static bool waits(const struct sprof_delay_thread *thread)
{
	return thread->state == SPROF_DELAY_STATE_PREEMPTED ||
		thread->state == SPROF_DELAY_STATE_WOKEN;
}

const struct sprof_delay_thread *sprof_delays_longest_waiter(
	const struct sprof_delays *delays, sprof_delays_is_chosen *is_chosen, const void *data)
{
	const struct sprof_delay_thread *longest = NULL;

	for (size_t i = 0; i < delays->count; i++) {
		const struct sprof_delay_thread *thread = delays->threads[i];

		if (waits(thread) && (!is_chosen || is_chosen(data, thread)) &&
			(!longest || thread->since.time_ns < longest->since.time_ns))
			longest = thread;
	}
	return longest;
}

/* Passes a step on, with the delay that it ends. */
static void note(struct sprof_delays *delays, const struct sprof_delay_thread *thread,
	enum sprof_delay_step step, const struct sprof_sched_record *record, bool ends_delay)
{
	const struct sprof_delay_options *options = &delays->options;

	delays->steps++;
	if (options->noted)
		options->noted(options->data,
			&(struct sprof_delay_event){.thread = thread,
				.step = step,
				.moment = {record->time_ns, delays->steps, record->cpu,
					record->other},
				.ends_delay = ends_delay});
}

static void begin_delay(struct sprof_delays *delays, struct sprof_delay_thread *thread,
	enum sprof_delay_state state, const struct sprof_sched_record *record)
{
	note(delays, thread,
		state == SPROF_DELAY_STATE_PREEMPTED ? SPROF_DELAY_STEP_PREEMPTED
						     : SPROF_DELAY_STEP_WOKEN,
		record, false);
	thread->state = state;
	thread->since = (struct sprof_delay_moment){
		record->time_ns, delays->steps, record->cpu, record->other};
}

static void leave_cpu(struct sprof_delays *delays, struct sprof_delay_thread *thread,
	const struct sprof_sched_record *record)
{
	if (thread->off_ns && record->time_ns - thread->off_ns < same_moment_ns)
		return;
	thread->off_ns = record->time_ns;
	/* Its ON was missed, and with it perhaps the WAKEUP. */
	if (thread->state != SPROF_DELAY_STATE_ON)
		thread->waking.time_ns = 0;
	if (record->preempted && thread->state != SPROF_DELAY_STATE_PREEMPTED) {
		begin_delay(delays, thread, SPROF_DELAY_STATE_PREEMPTED, record);
	} else if (!record->preempted) {
		note(delays, thread, SPROF_DELAY_STEP_SLEEPS, record, false);
		thread->state = SPROF_DELAY_STATE_ASLEEP;
	}
}

/*
 * A waker may notice that the thread goes to sleep before its OFF is recorded: then WAKING precedes
 * the OFF (kernel/sched/core.c, try_to_wake_up). WAKEUP follows both. Its record may be of another
 * thread and CPU: those that an interrupt has stopped.
 */
static void begin_waking(struct sprof_delay_thread *thread, const struct sprof_sched_record *record)
{
	if (!waits(thread))
		thread->waking = (struct sprof_delay_moment){
			.time_ns = record->time_ns, .cpu = record->cpu, .other = record->other};
}

/* A thread that is woken before it has left its CPU stays there. */
static void wake_up(struct sprof_delays *delays, struct sprof_delay_thread *thread,
	const struct sprof_sched_record *record)
{
	struct sprof_sched_record woken = *record;

	if (thread->waking.time_ns) {
		woken.cpu = thread->waking.cpu;
		woken.other = thread->waking.other;
	}
	if (thread->state != SPROF_DELAY_STATE_ON && !waits(thread))
		begin_delay(delays, thread, SPROF_DELAY_STATE_WOKEN, &woken);
	thread->waking.time_ns = 0;
}

/* The WAKEUP is missing. */
static void wake_up_late(struct sprof_delays *delays, struct sprof_delay_thread *thread)
{
	const struct sprof_sched_record woken = {
		.time_ns = thread->waking.time_ns,
		.cpu = thread->waking.cpu,
		.other = thread->waking.other,
	};

	wake_up(delays, thread, &woken);
}

static void get_cpu(struct sprof_delays *delays, struct sprof_delay_thread *thread,
	const struct sprof_sched_record *record)
{
	uint64_t ns;

	if (thread->waking.time_ns)
		wake_up_late(delays, thread);
	ns = record->time_ns - thread->since.time_ns;
	if (thread->state != SPROF_DELAY_STATE_ON)
		note(delays, thread, SPROF_DELAY_STEP_RUNS, record, waits(thread));
	if (waits(thread)) {
		count_seen(delays, thread,
			thread->state == SPROF_DELAY_STATE_PREEMPTED ? SPROF_DELAY_PREEMPTED
								     : SPROF_DELAY_WAKEUP,
			ns);
		thread->sums.seen_count++;
		thread->sums.seen_ns += (int64_t)ns;
	} else if (thread->state == SPROF_DELAY_STATE_ASLEEP && delays->options.has_wakeups) {
		delays->unseen++;
		thread->sums.is_short = true;
	}
	thread->state = SPROF_DELAY_STATE_ON;
	thread->off_ns = 0;
}

/* No delay spans the start or end of a gap. */
static void cut(struct sprof_delays *delays)
{
	for (size_t i = 0; i < delays->count; i++) {
		struct sprof_delay_thread *thread = delays->threads[i];

		if (thread->ended)
			continue;
		delays->dropped += waits(thread);
		thread->state = SPROF_DELAY_STATE_UNKNOWN;
		thread->waking.time_ns = thread->off_ns = 0;
		thread->sums.spoiled = !delays->options.has_wakeups;
		thread->sums.is_short = delays->options.has_wakeups;
	}
}

static void take_gap(struct sprof_delays *delays, const struct sprof_sched_record *record)
{
	cut(delays);
	if (record->kind == SPROF_SCHED_GAP_BEGIN) {
		delays->open_gaps++;
		return;
	}
	delays->lost += record->lost;
	if (delays->open_gaps)
		delays->open_gaps--;
}

/* Both sources may report the birth. */
static void count_child(struct sprof_delays *delays, const struct sprof_sched_record *record)
{
	if (sprof_delays_find(delays, record->parent) &&
		!sprof_idmap_put(&delays->children, (uint64_t)record->tid, 0, 0))
		delays->no_memory = true;
}

/* All others have ended; a gap may have taken their records. */
static struct sprof_delay_thread *find_on_cpu(const struct sprof_delays *delays)
{
	struct sprof_delay_thread *found = NULL;

	for (size_t i = 0; i < delays->count; i++) {
		struct sprof_delay_thread *thread = delays->threads[i];

		if (!thread->ended && (!found || thread->state == SPROF_DELAY_STATE_ON))
			found = thread;
	}
	return found;
}

/* A thread that has executed a program has the id of the process's first thread from then on. */
static void execute(struct sprof_delays *delays, struct sprof_delay_thread *thread,
	const struct sprof_sched_record *record)
{
	uint32_t index;

	if (!thread) {
		thread = find_on_cpu(delays);
		if (!thread)
			return;
		index = sprof_idmap_find(&delays->living, (uint64_t)thread->tid, 0);
		sprof_idmap_remove(&delays->living, (uint64_t)thread->tid, 0);
		if (!sprof_idmap_put(&delays->living, (uint64_t)record->tid, 0, index))
			delays->no_memory = true;
		thread->tid = record->tid;
	}
	set_name(thread, record->name);
}

/* Handles records about threads during a gap, too. */
static bool take_task(struct sprof_delays *delays, struct sprof_delay_thread *thread,
	const struct sprof_sched_record *record)
{
	if (record->kind == SPROF_SCHED_BIRTH)
		be_born(delays, record);
	else if (record->kind == SPROF_SCHED_CHILD)
		count_child(delays, record);
	else if (record->kind == SPROF_SCHED_EXEC)
		execute(delays, thread, record);
	else if (thread && record->kind == SPROF_SCHED_EXIT)
		end_thread(delays, thread, record->time_ns);
	else if (thread && record->kind == SPROF_SCHED_NAME)
		set_name(thread, record->name);
	else
		return false;
	return true;
}

static void take_scheduling(struct sprof_delays *delays, struct sprof_delay_thread *thread,
	const struct sprof_sched_record *record)
{
	switch (record->kind) {
	case SPROF_SCHED_OFF:
		/* It has been on its CPU since sprof began, so no delay was missed. */
		if (thread->state == SPROF_DELAY_STATE_UNKNOWN && !delays->lost)
			thread->sums.is_short = false;
		leave_cpu(delays, thread, record);
		break;
	case SPROF_SCHED_ON:
		get_cpu(delays, thread, record);
		break;
	case SPROF_SCHED_WAKING:
		begin_waking(thread, record);
		break;
	case SPROF_SCHED_WAKEUP:
		wake_up(delays, thread, record);
		break;
	case SPROF_SCHED_BIRTH:
	case SPROF_SCHED_CHILD:
	case SPROF_SCHED_NAME:
	case SPROF_SCHED_EXEC:
	case SPROF_SCHED_EXIT:
	case SPROF_SCHED_READING:
	case SPROF_SCHED_GAP_BEGIN:
	case SPROF_SCHED_GAP_END:
		break;
	}
}

void sprof_delays_take(struct sprof_delays *delays, const struct sprof_sched_record *record)
{
	struct sprof_delay_thread *thread;

	if (record->kind == SPROF_SCHED_GAP_BEGIN || record->kind == SPROF_SCHED_GAP_END) {
		take_gap(delays, record);
		return;
	}
	thread = sprof_delays_find(delays, record->tid);
	if (take_task(delays, thread, record) || !thread)
		return;
	if (record->kind == SPROF_SCHED_READING)
		sprof_delay_sums_take(delays, thread, set_of(delays, thread), record);
	else if (!delays->open_gaps)
		take_scheduling(delays, thread, record);
}

static void add_to_total(struct sprof_delays *delays, struct sprof_delay_set *interval,
	struct sprof_delay_set *total)
{
	if (!sprof_delay_set_merge(total, interval))
		delays->no_memory = true;
	sprof_delay_set_reset(interval);
}

void sprof_delays_close_interval(struct sprof_delays *delays, uint64_t now_ns)
{
	for (size_t i = 0; i < delays->count; i++) {
		if (!delays->threads[i]->ended)
			live_until(delays, delays->threads[i], now_ns);
	}
}

void sprof_delays_end_interval(struct sprof_delays *delays, uint64_t now_ns)
{
	delays->interval_begin_ns = now_ns;
	add_to_total(delays, &delays->interval, &delays->total);
	for (size_t i = 0; delays->options.per_thread && i < delays->count; i++)
		add_to_total(delays, &delays->threads[i]->interval, &delays->threads[i]->total);
}

void sprof_delays_finish(struct sprof_delays *delays)
{
	for (size_t i = 0; i < delays->count; i++)
		destroy(delays->threads[i]);
	free(delays->threads);
	sprof_idmap_finish(&delays->living);
	sprof_idmap_finish(&delays->children);
	sprof_delay_set_finish(&delays->interval);
	sprof_delay_set_finish(&delays->total);
	*delays = (struct sprof_delays){0};
}
