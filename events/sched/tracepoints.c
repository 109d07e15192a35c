/*
 * Opens the scheduler's tracepoints and converts their samples to records. Does not determine which
 * threads belong to the process.
 *
 * prev_state shows whether a thread was preempted: it is 0 (TASK_RUNNING) except for the bit 0x100,
 * which kernels with preemption set (include/trace/events/sched.h, __trace_sched_switch_state).
 */
#include "events/sched/tracepoints.h"

#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "events/perf/tasks.h"
#include "events/recorded/tid-filter.h"
#include "events/recorded/tracepoints.h"

enum { STATE_MASK = 0xff };

/* The tracepoints and their fixed properties. */
static const struct {
	const char *name;
	const char *fields[3]; /* with thread ids */
	const char *state;
	enum sprof_sched_kind kind; /* of the thread in the first field */
} descriptions[SPROF_SCHED_TRACEPOINTS] = {
	{"sched_switch", {"prev_pid", "next_pid"}, "prev_state", SPROF_SCHED_OFF},
	{"sched_waking", {"pid"}, NULL, SPROF_SCHED_WAKING},
	{"sched_wakeup", {"pid"}, NULL, SPROF_SCHED_WAKEUP},
	{"sched_wakeup_new", {"pid"}, NULL, SPROF_SCHED_WAKEUP},
};

/* The link is the same number in every kernel (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
static bool is_first_pid_namespace(void)
{
	char text[64];

	return sprof_proc_read_link("/proc/self/ns/pid", text, sizeof(text)) &&
		!strcmp(text, "pid:[4026531836]");
}

static bool find_fields(size_t index, const char *format, struct sprof_sched_tracepoint *ret)
{
	const char *const *fields = descriptions[index].fields;
	const char *state = descriptions[index].state;

	return sprof_tracepoint_format_find(format, "common_type", &ret->type) &&
		sprof_tracepoint_format_find(format, fields[0], &ret->tid) &&
		(!fields[1] || sprof_tracepoint_format_find(format, fields[1], &ret->next_tid)) &&
		(!state || sprof_tracepoint_format_find(format, state, &ret->state));
}

static bool open_point(
	struct sprof_sched_tracepoints *points, size_t index, struct sprof_perf_denial *ret_denial)
{
	struct sprof_sched_tracepoint *point = &points->points[index];
	struct sprof_tracepoint found;
	struct perf_event_attr attributes;
	bool done = sprof_tracepoint_find("sched", descriptions[index].name, &found, ret_denial);

	if (done && !find_fields(index, found.format, point)) {
		*ret_denial = (struct sprof_perf_denial){SPROF_PERF_UNSUPPORTED, 0};
		done = false;
	}
	if (done) {
		attributes = sprof_tracepoint_attributes(&found);
		point->id = found.id;
		point->first_fd = points->rings.fd_count;
		done = sprof_perf_rings_add(&points->rings, &attributes, -1, ret_denial);
		point->fd_count = points->rings.fd_count - point->first_fd;
	}
	sprof_tracepoint_finish(&found);
	return done;
}

/* Births, names and ends of all threads of the machine, which are few. */
static bool open_tasks(struct sprof_sched_tracepoints *points, struct sprof_perf_denial *ret_denial)
{
	struct perf_event_attr attributes =
		sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	attributes.task = 1;
	attributes.comm = 1;
	return sprof_perf_rings_add(&points->rings, &attributes, -1, ret_denial);
}

bool sprof_sched_tracepoints_begin(struct sprof_sched_tracepoints *points, pid_t pid,
	size_t ring_size, struct sprof_perf_denial *ret_denial)
{
	*points = (struct sprof_sched_tracepoints){.pid = pid};
	if (!is_first_pid_namespace()) {
		*ret_denial = (struct sprof_perf_denial){SPROF_PERF_NAMESPACE, 0};
		return false;
	}
	if (!sprof_perf_rings_init(&points->rings, ret_denial))
		return false;
	points->rings.ring_size =
		ring_size ? ring_size : sprof_perf_ring_size(points->rings.cpus.count, false);
	if (!open_tasks(points, ret_denial))
		return false;
	for (size_t i = 0; i < SPROF_SCHED_TRACEPOINTS; i++) {
		if (!open_point(points, i, ret_denial))
			return false;
	}
	return true;
}

void sprof_sched_tracepoints_filter(
	const struct sprof_sched_tracepoints *points, pid_t *tids, size_t count, pid_t last)
{
	char filter[SPROF_TID_FILTER_MAX];

	for (size_t i = 0; i < SPROF_SCHED_TRACEPOINTS; i++) {
		const struct sprof_sched_tracepoint *point = &points->points[i];

		sprof_tid_filter_write(
			descriptions[i].fields, tids, count, last, filter, sizeof(filter));
		sprof_perf_rings_filter(&points->rings, point->first_fd, point->fd_count, filter);
	}
}

static bool read_field(const struct sprof_tracepoint_field *field,
	const struct sprof_perf_record *record, int64_t *ret)
{
	return sprof_tracepoint_field_read(field, record->raw, record->raw_size, ret);
}

/* Tid 0 is the idle thread of each CPU. */
static void add(struct sprof_sched_order *order, const struct sprof_sched_record *made)
{
	if (made->tid > 0)
		sprof_sched_order_add(order, made);
}

static void add_switch(struct sprof_sched_order *order, const struct sprof_sched_tracepoint *point,
	const struct sprof_perf_record *record, struct sprof_sched_record made)
{
	int64_t state, next;

	if (!read_field(&point->state, record, &state) ||
		!read_field(&point->next_tid, record, &next))
		return;
	made.preempted = !(state & STATE_MASK);
	made.other = (pid_t)next;
	add(order, &made);
	made.preempted = false;
	made.kind = SPROF_SCHED_ON;
	made.other = made.tid;
	made.tid = (pid_t)next;
	add(order, &made);
}

/* Context for taking records. */
struct reading {
	const struct sprof_sched_tracepoints *points;
	struct sprof_sched_order *order;
};

static void add_sample(
	const struct reading *reading, size_t index, const struct sprof_perf_record *record)
{
	const struct sprof_sched_tracepoint *point = &reading->points->points[index];
	struct sprof_sched_record made = {
		.time_ns = record->time_ns,
		.kind = descriptions[index].kind,
		.cpu = record->cpu,
		.other = record->tid,
	};
	int64_t tid;

	if (!read_field(&point->tid, record, &tid))
		return;
	made.tid = (pid_t)tid;
	if (made.kind == SPROF_SCHED_OFF)
		add_switch(reading->order, point, record, made);
	else
		add(reading->order, &made);
}

static void take(void *data, const struct sprof_perf_record *record)
{
	const struct reading *reading = data;
	int64_t type;

	if (record->kind != SPROF_PERF_SAMPLE) {
		sprof_perf_tasks_add(reading->order, reading->points->pid, record);
		return;
	}
	if (!read_field(&reading->points->points[0].type, record, &type))
		return;
	for (size_t i = 0; i < SPROF_SCHED_TRACEPOINTS; i++) {
		if (reading->points->points[i].id == (uint64_t)type)
			add_sample(reading, i, record);
	}
}

void sprof_sched_tracepoints_read(
	struct sprof_sched_tracepoints *points, struct sprof_sched_order *order)
{
	struct reading reading = {points, order};

	sprof_perf_rings_drain(&points->rings, take, &reading);
}

void sprof_sched_tracepoints_finish(struct sprof_sched_tracepoints *points)
{
	sprof_perf_rings_finish(&points->rings);
}

/* "0.20 0.18 0.12 1/80 11206": the last number (proc_loadavg(5)). */
pid_t sprof_last_tid(void)
{
	char text[128];
	const char *blank;

	if (sprof_proc_read_path("/proc/loadavg", text, sizeof(text)) <= 0)
		return 0;
	blank = strrchr(text, ' ');
	return blank ? (pid_t)strtol(blank + 1, NULL, 10) : 0;
}
