/*
 * One row per type with a dedicated perf event; all other types are tracepoints
 * (tracepoint-values.h). Does not determine a thread's CPU before a switch: that needs the
 * preceding records.
 */
#include "events/recorded/point.h"

#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"
#include "events/perf/registers.h"

/* Values of a probe: the first is which one it is. */
enum { IP = 1, SP, ARGUMENTS };

#define UPROBE_TYPE "/sys/bus/event_source/devices/uprobe/type"

static bool read_type(const char *path, unsigned *ret)
{
	char text[64], *end;

	if (sprof_proc_read_path(path, text, sizeof(text)) <= 0)
		return false;
	*ret = (unsigned)strtoul(text, &end, 10);
	return end != text;
}

static bool describe_switches(struct sprof_recorded_point *point,
	const struct sprof_recorded_wants *wants, struct sprof_perf_denial *ret_denial)
{
	point->attributes = sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	point->attributes.context_switch = 1;
	return true;
}

static bool describe_faults(struct sprof_recorded_point *point,
	const struct sprof_recorded_wants *wants, struct sprof_perf_denial *ret_denial)
{
	point->attributes = sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	point->attributes.sample_period = wants->fault_period ? wants->fault_period : 1;
	return true;
}

/* Its unit is a nanosecond. */
static bool describe_clock(struct sprof_recorded_point *point,
	const struct sprof_recorded_wants *wants, struct sprof_perf_denial *ret_denial)
{
	point->attributes = sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	point->attributes.sample_period = SPROF_NS_PER_S / wants->rate_hz;
	return true;
}

/*
 * A debug register that the kernel sets whenever the thread runs (perf_event_open(2),
 * PERF_TYPE_BREAKPOINT).
 */
static bool describe_breakpoint(struct sprof_recorded_point *point)
{
	point->attributes = sprof_perf_attributes(PERF_TYPE_BREAKPOINT, 0);
	point->attributes.bp_type = HW_BREAKPOINT_X;
	point->attributes.bp_addr = point->probe->offset;
	point->attributes.bp_len = sizeof(long);
	point->attributes.sample_period = 1;
	sprof_perf_ask_registers(&point->attributes);
	return true;
}

/* The kernel's uprobes without tracefs (kernel/events/core.c, perf_uprobe). */
static bool describe_probe(struct sprof_recorded_point *point,
	const struct sprof_recorded_wants *wants, struct sprof_perf_denial *ret_denial)
{
	const struct sprof_probe *probe = point->probe;
	unsigned type;

	if (!probe->path)
		return describe_breakpoint(point);
	if (!read_type(UPROBE_TYPE, &type))
		return false;
	point->attributes = sprof_perf_attributes(type, 0);
	point->attributes.uprobe_path = (uintptr_t)probe->path;
	point->attributes.probe_offset = probe->offset;
	point->attributes.sample_period = 1;
	sprof_perf_ask_registers(&point->attributes);
	return true;
}

static void read_switch(const struct sprof_recorded_point *point,
	const struct sprof_perf_record *record, struct sprof_trace_value *values)
{
	if (record->switch_out)
		values++->integer = record->preempted;
	values->integer = record->cpu;
}

static void read_fault(const struct sprof_recorded_point *point,
	const struct sprof_perf_record *record, struct sprof_trace_value *values)
{
	values[0].integer = (int64_t)record->address;
	values[1].integer = (int64_t)record->ip;
}

static void read_clock(const struct sprof_recorded_point *point,
	const struct sprof_perf_record *record, struct sprof_trace_value *values)
{
	values[0].integer = (int64_t)record->ip;
}

static void read_probe(const struct sprof_recorded_point *point,
	const struct sprof_perf_record *record, struct sprof_trace_value *values)
{
	struct sprof_perf_user user;

	values[0].integer = point->probe->number;
	if (!sprof_perf_user_read(record, point->has_stack, &user))
		return;
	values[IP].integer = (int64_t)user.regs.values[SPROF_REG_PC];
	values[SP].integer = (int64_t)user.regs.values[SPROF_REG_SP];
	for (size_t i = 0; i < SPROF_PERF_ARGUMENTS; i++)
		values[ARGUMENTS + i].integer = sprof_perf_argument(&user.regs, i);
}

static const struct way {
	enum sprof_trace_type type;
	bool is_inherited;
	bool (*describe)(struct sprof_recorded_point *point,
		const struct sprof_recorded_wants *wants, struct sprof_perf_denial *ret_denial);
	void (*read)(const struct sprof_recorded_point *point,
		const struct sprof_perf_record *record, struct sprof_trace_value *values);
} ways[] = {
	{SPROF_TRACE_OFF, true, describe_switches, read_switch},
	{SPROF_TRACE_ON, true, describe_switches, read_switch},
	{SPROF_TRACE_FAULT, true, describe_faults, read_fault},
	{SPROF_TRACE_PROFILE, true, describe_clock, read_clock},
	/*
	 * A thread that inherits one opens it again, with its own rights, and reads the path in its
	 * own memory: if it can't, its clone(2) fails.
	 */
	{SPROF_TRACE_PROBE, false, describe_probe, read_probe},
};

/* NULL: it is a tracepoint. */
static const struct way *way_of(enum sprof_trace_type type)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (ways[i].type == type)
			return &ways[i];
	}
	return NULL;
}

static bool describe_tracepoint(
	struct sprof_recorded_point *point, struct sprof_perf_denial *ret_denial)
{
	if (!sprof_tracepoint_type_find(point->type, &point->tracepoint, ret_denial))
		return false;
	point->attributes = sprof_tracepoint_attributes(&point->tracepoint.found);
	return true;
}

/*
 * Threads inherit a debug register. Child processes and new programs must not: it is for one
 * process, and a new program has other addresses. Linux before 5.13 gives it to all of them; there,
 * points.c opens one for each thread.
 */
static bool threads_alone_inherit(void)
{
	struct perf_event_attr attributes =
		sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct sprof_perf_denial denial;
	int fd;

	attributes.inherit = attributes.inherit_thread = attributes.remove_on_exec = 1;
	fd = sprof_perf_open(&attributes, 0, -1, &denial);
	if (fd >= 0)
		close(fd);
	return fd >= 0 && attributes.inherit_thread;
}

bool sprof_recorded_point_init(struct sprof_recorded_point *point, enum sprof_trace_type type,
	const struct sprof_recorded_wants *wants, const struct sprof_probe *probe,
	struct sprof_perf_denial *ret_denial)
{
	const struct way *way = way_of(type);

	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_UNSUPPORTED, 0};
	*point = (struct sprof_recorded_point){
		.type = type, .probe = probe, .has_stack = wants->stacks >> type & 1};
	if (way ? !way->describe(point, wants, ret_denial)
		: !describe_tracepoint(point, ret_denial))
		return false;
	point->attributes.disabled = 1;
	if (point->has_stack)
		sprof_perf_ask_stack(&point->attributes);
	point->attributes.inherit =
		way ? way->is_inherited : !sprof_recorded_point_is_of_machine(point);
	if (probe && !probe->path)
		point->attributes.inherit = point->attributes.inherit_thread =
			point->attributes.remove_on_exec = threads_alone_inherit();
	return true;
}

void sprof_recorded_point_finish(struct sprof_recorded_point *point)
{
	sprof_tracepoint_finish(&point->tracepoint.found);
}

static bool may_open(
	const struct sprof_recorded_point *point, int cpu, struct sprof_perf_denial *ret_denial)
{
	const bool is_of_machine = sprof_recorded_point_is_of_machine(point);
	struct perf_event_attr attributes = point->attributes;
	int fd = sprof_perf_open(
		&attributes, is_of_machine ? -1 : 0, is_of_machine ? cpu : -1, ret_denial);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool sprof_recorded_point_is_permitted(
	struct sprof_recorded_point *point, int cpu, struct sprof_perf_denial *ret_denial)
{
	point->attributes.exclude_kernel = 0;
	if (may_open(point, cpu, ret_denial))
		return true;
	point->attributes.exclude_kernel = 1;
	if (point->probe && point->probe->path && ret_denial->reason == SPROF_PERF_PARANOID)
		ret_denial->reason = SPROF_PERF_ADMIN;
	return way_of(point->type) && ret_denial->reason == SPROF_PERF_PARANOID &&
		may_open(point, cpu, ret_denial);
}

static bool may_probe(const struct sprof_probe *probe, struct sprof_perf_denial *ret_denial)
{
	const struct sprof_recorded_wants wants = {0};
	struct sprof_recorded_point point;
	const bool is_permitted =
		sprof_recorded_point_init(&point, SPROF_TRACE_PROBE, &wants, probe, ret_denial) &&
		sprof_recorded_point_is_permitted(&point, 0, ret_denial);

	sprof_recorded_point_finish(&point);
	return is_permitted;
}

/* The start of a file is never executed. */
bool sprof_recorded_probes_are_permitted(struct sprof_perf_denial *ret_denial)
{
	return may_probe(&(struct sprof_probe){.path = "/proc/self/exe"}, ret_denial);
}

bool sprof_recorded_breakpoints_are_permitted(struct sprof_perf_denial *ret_denial)
{
	const uint64_t somewhere = (uintptr_t)sprof_recorded_point_finish;

	return may_probe(&(struct sprof_probe){.offset = somewhere}, ret_denial);
}

bool sprof_recorded_point_is_of_machine(const struct sprof_recorded_point *point)
{
	return sprof_tracepoint_type_is_of_machine(&point->tracepoint);
}

enum sprof_trace_type sprof_recorded_point_type(
	const struct sprof_recorded_point *point, const struct sprof_perf_record *record)
{
	return record->kind != SPROF_PERF_SWITCH ? point->type
		: record->switch_out             ? SPROF_TRACE_OFF
						 : SPROF_TRACE_ON;
}

void sprof_recorded_point_read(const struct sprof_recorded_point *point,
	const struct sprof_perf_record *record, struct sprof_tracepoint_values *ret)
{
	const struct way *way = way_of(point->type);

	if (!way) {
		sprof_tracepoint_values_read(&point->tracepoint, record, ret);
		return;
	}
	memset(ret->values, 0, sizeof(ret->values));
	way->read(point, record, ret->values);
}
