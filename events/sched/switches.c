/*
 * Records the switches of one process with a software event that never counts (PERF_COUNT_SW_DUMMY)
 * and produces only side-band records. Threads inherit it from their creator (perf_event_open(2):
 * inherit), so it is opened for every existing thread. Does not handle child processes.
 *
 * A thread born between the listing of /proc and the opening may inherit the event and get a second
 * one. Its records then come twice, a few ns apart; delays.h uses the first.
 */
#include "events/sched/switches.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/proc.h"
#include "events/perf/tasks.h"

/* The threads that have the event. */
struct covered {
	pid_t *tids;
	size_t count, capacity;
};

static struct perf_event_attr attributes_of_switches(void)
{
	struct perf_event_attr attributes =
		sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attributes.context_switch = 1;
	attributes.task = 1;
	attributes.comm = 1;
	attributes.inherit = 1;
	attributes.inherit_thread = 1;
	return attributes;
}

static bool is_covered(const struct covered *covered, pid_t tid)
{
	for (size_t i = covered->count; i-- > 0;) {
		if (covered->tids[i] == tid)
			return true;
	}
	return false;
}

static bool cover(struct sprof_switches *switches, struct covered *covered, pid_t tid,
	struct sprof_perf_denial *ret_denial)
{
	struct perf_event_attr attributes = attributes_of_switches();

	if (!sprof_array_reserve(&covered->tids, &covered->capacity, covered->count + 1,
		    sizeof(*covered->tids))) {
		*ret_denial = (struct sprof_perf_denial){SPROF_PERF_OTHER, 0};
		return false;
	}
	covered->tids[covered->count++] = tid;
	return sprof_perf_rings_add(&switches->rings, &attributes, tid, ret_denial) ||
		ret_denial->reason == SPROF_PERF_GONE;
}

/* One look at the threads. Sets *ret_new to whether there was a new one. */
static bool cover_all(struct sprof_switches *switches, struct covered *covered, bool *ret_new,
	struct sprof_perf_denial *ret_denial)
{
	DIR *tasks = sprof_proc_open_tasks(switches->pid);
	bool done = true;
	pid_t tid;

	*ret_new = false;
	if (!tasks)
		return true;
	while (done && (tid = sprof_proc_next_id(tasks))) {
		if (is_covered(covered, tid))
			continue;
		*ret_new = true;
		done = cover(switches, covered, tid, ret_denial);
	}
	closedir(tasks);
	return done;
}

bool sprof_switches_begin(
	struct sprof_switches *switches, pid_t pid, struct sprof_perf_denial *ret_denial)
{
	struct covered covered = {0};
	bool more = true, done;

	*switches = (struct sprof_switches){.pid = pid};
	done = sprof_perf_rings_init(&switches->rings, ret_denial);
	while (done && more)
		done = cover_all(switches, &covered, &more, ret_denial);
	free(covered.tids);
	if (done && !switches->rings.fd_count) {
		*ret_denial = (struct sprof_perf_denial){SPROF_PERF_GONE, 0};
		done = false;
	}
	return done;
}

/* Context for taking records. */
struct reading {
	struct sprof_sched_order *order;
	pid_t pid;
};

static void take(void *data, const struct sprof_perf_record *record)
{
	const struct reading *reading = data;
	const struct sprof_sched_record made = {
		.time_ns = record->time_ns,
		.tid = record->tid,
		.kind = record->switch_out ? SPROF_SCHED_OFF : SPROF_SCHED_ON,
		.cpu = record->cpu,
		.preempted = record->preempted,
		.other = SPROF_SCHED_UNKNOWN,
	};

	if (record->kind != SPROF_PERF_SWITCH)
		sprof_perf_tasks_add(reading->order, reading->pid, record);
	else if (record->pid == reading->pid)
		sprof_sched_order_add(reading->order, &made);
}

void sprof_switches_read(struct sprof_switches *switches, struct sprof_sched_order *order)
{
	struct reading reading = {order, switches->pid};

	sprof_perf_rings_drain(&switches->rings, take, &reading);
}

void sprof_switches_finish(struct sprof_switches *switches)
{
	sprof_perf_rings_finish(&switches->rings);
}
