/*
 * The catalogue of events: one row each. Tracepoint fields have the kernel's names (`format` files
 * of tracefs); only fields that are meaningful for one process are listed. Does not check
 * permissions.
 */
#include "events/event-type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FIELDS(array) (array), COUNT(array)
#define NUMBER(name, index) \
	{ \
		name, SPROF_TRACE_INTEGER, index, 1 \
	}
#define ADDRESS(name, index) \
	{ \
		name, SPROF_TRACE_INTEGER, index, 1, true \
	}
#define TEXT(name, index) \
	{ \
		name, SPROF_TRACE_TEXT, index, 1 \
	}

enum { MAX_TEXT = 255 };

static const struct sprof_trace_field enter_fields[] = {
	NUMBER("id", 0),
	{"args", SPROF_TRACE_INTEGER, 1, SPROF_TRACE_ARGUMENTS, true},
};

/* The kernel's name of the number in the events of single calls. */
static const struct sprof_trace_field enter_call_fields[] = {
	NUMBER("__syscall_nr", 0),
	NUMBER("id", 0),
	{"args", SPROF_TRACE_INTEGER, 1, SPROF_TRACE_ARGUMENTS, true},
};

static const struct sprof_trace_field exit_fields[] = {
	NUMBER("id", 0),
	NUMBER("ret", 1),
};

static const struct sprof_trace_field exit_call_fields[] = {
	NUMBER("__syscall_nr", 0),
	NUMBER("id", 0),
	NUMBER("ret", 1),
};

static const struct sprof_trace_field child_fields[] = {
	NUMBER("child_pid", 0),
};

static const struct sprof_trace_field exec_fields[] = {
	TEXT("filename", 0),
};

static const struct sprof_trace_field code_fields[] = {
	NUMBER("code", 0),
};

static const struct sprof_trace_field signal_fields[] = {
	NUMBER("sig", 0),
	NUMBER("code", 1),
	NUMBER("sender_pid", 2),
};

static const struct sprof_trace_field switch_fields[] = {
	TEXT("prev_comm", 0),
	NUMBER("prev_pid", 1),
	NUMBER("prev_prio", 2),
	NUMBER("prev_state", 3),
	TEXT("next_comm", 4),
	NUMBER("next_pid", 5),
	NUMBER("next_prio", 6),
};

static const struct sprof_trace_field wakeup_fields[] = {
	TEXT("comm", 0),
	NUMBER("pid", 1),
	NUMBER("prio", 2),
	NUMBER("target_cpu", 3),
};

/* The flags show whether the waker is an interrupt (include/linux/trace_events.h). */
static const struct sprof_trace_field waking_fields[] = {
	TEXT("comm", 0),
	NUMBER("pid", 1),
	NUMBER("prio", 2),
	NUMBER("target_cpu", 3),
	ADDRESS("common_flags", 4),
};

static const struct sprof_trace_field migrate_fields[] = {
	TEXT("comm", 0),
	NUMBER("pid", 1),
	NUMBER("prio", 2),
	NUMBER("orig_cpu", 3),
	NUMBER("dest_cpu", 4),
};

static const struct sprof_trace_field off_fields[] = {
	NUMBER("preempt", 0),
	NUMBER("cpu", 1),
};

static const struct sprof_trace_field on_fields[] = {
	NUMBER("cpu", 0),
	NUMBER("prev_cpu", 1),
};

static const struct sprof_trace_field fault_fields[] = {
	ADDRESS("addr", 0),
	ADDRESS("ip", 1),
};

static const struct sprof_trace_field probe_fields[] = {
	ADDRESS("ip", 1),
	ADDRESS("sp", 2),
	ADDRESS("arg0", 3),
	ADDRESS("arg1", 4),
	ADDRESS("arg2", 5),
	ADDRESS("arg3", 6),
	ADDRESS("arg4", 7),
	ADDRESS("arg5", 8),
};

static const struct sprof_trace_field return_fields[] = {
	ADDRESS("ip", 1),
	ADDRESS("sp", 2),
	NUMBER("ret", 3),
};

static const struct sprof_trace_field sample_fields[] = {
	ADDRESS("ip", 0),
};

enum {
	CALL_SOURCES =
		SPROF_TRACE_BY_TRACEPOINT | SPROF_TRACE_BY_SECCOMP | SPROF_TRACE_BY_CALL_STOPS,
	TASK_SOURCES = SPROF_TRACE_BY_EVENT_STOPS,
};

/* clang-format off */
/* The first row of a type is the type's own. */
static const struct sprof_trace_type_row rows[] = {
	{SPROF_TRACE_SYS_ENTER, "raw_syscalls", "sys_enter", false, FIELDS(enter_fields),
		CALL_SOURCES, SPROF_TRACE_COST_RECORD, "any system call begins"},
	{SPROF_TRACE_SYS_EXIT, "raw_syscalls", "sys_exit", false, FIELDS(exit_fields),
		CALL_SOURCES, SPROF_TRACE_COST_RECORD, "any system call ends"},
	{SPROF_TRACE_SYS_ENTER, "syscalls", "sys_enter_", true, FIELDS(enter_call_fields),
		CALL_SOURCES, SPROF_TRACE_COST_RECORD, "this system call begins"},
	{SPROF_TRACE_SYS_EXIT, "syscalls", "sys_exit_", true, FIELDS(exit_call_fields),
		CALL_SOURCES, SPROF_TRACE_COST_RECORD, "this system call ends"},
	{SPROF_TRACE_CLONE, "proc", "clone", false, FIELDS(child_fields),
		TASK_SOURCES, SPROF_TRACE_COST_STOP, "a thread has started another one"},
	{SPROF_TRACE_FORK, "proc", "fork", false, FIELDS(child_fields),
		TASK_SOURCES, SPROF_TRACE_COST_STOP, "a thread has started a process"},
	{SPROF_TRACE_EXEC, "proc", "exec", false, FIELDS(exec_fields),
		SPROF_TRACE_BY_EVENT_STOPS, SPROF_TRACE_COST_STOP, "the process runs another program"},
	{SPROF_TRACE_EXIT, "proc", "exit", false, FIELDS(code_fields),
		TASK_SOURCES, SPROF_TRACE_COST_STOP, "a thread has ended"},
	{SPROF_TRACE_SIGNAL, "signal", "deliver", false, FIELDS(signal_fields),
		SPROF_TRACE_BY_EVENT_STOPS, SPROF_TRACE_COST_STOP, "a thread gets a signal"},
	{SPROF_TRACE_OFF, "sched", "off", false, FIELDS(off_fields),
		SPROF_TRACE_BY_SWITCHES, SPROF_TRACE_COST_RECORD, "a thread leaves its CPU"},
	{SPROF_TRACE_ON, "sched", "on", false, FIELDS(on_fields),
		SPROF_TRACE_BY_SWITCHES, SPROF_TRACE_COST_RECORD, "a thread gets a CPU"},
	{SPROF_TRACE_SWITCH, "sched", "sched_switch", false, FIELDS(switch_fields),
		SPROF_TRACE_BY_TRACEPOINT, SPROF_TRACE_COST_RECORD, "a CPU goes from one thread to another"},
	{SPROF_TRACE_WAKEUP, "sched", "sched_wakeup", false, FIELDS(wakeup_fields),
		SPROF_TRACE_BY_TRACEPOINT, SPROF_TRACE_COST_RECORD, "a thread is woken and may run"},
	{SPROF_TRACE_WAKEUP_NEW, "sched", "sched_wakeup_new", false, FIELDS(wakeup_fields),
		SPROF_TRACE_BY_TRACEPOINT, SPROF_TRACE_COST_RECORD, "a new thread may run for the first time"},
	{SPROF_TRACE_WAKING, "sched", "sched_waking", false, FIELDS(waking_fields),
		SPROF_TRACE_BY_TRACEPOINT, SPROF_TRACE_COST_RECORD, "a thread is being woken, seen by its waker"},
	{SPROF_TRACE_MIGRATE, "sched", "sched_migrate_task", false, FIELDS(migrate_fields),
		SPROF_TRACE_BY_TRACEPOINT, SPROF_TRACE_COST_RECORD, "a thread moves to another CPU"},
	{SPROF_TRACE_FAULT, "mem", "fault", false, FIELDS(fault_fields),
		SPROF_TRACE_BY_FAULTS, SPROF_TRACE_COST_RECORD, "a page fault: memory is touched for the first time"},
	{SPROF_TRACE_PROBE, "uprobe", "", true, FIELDS(probe_fields),
		SPROF_TRACE_BY_UPROBE | SPROF_TRACE_BY_BREAKPOINT, SPROF_TRACE_COST_RECORD,
		"a function begins: uprobe:FUNC@\"FILE\""},
	{SPROF_TRACE_RETURN, "uretprobe", "", true, FIELDS(return_fields),
		SPROF_TRACE_BY_BREAKPOINT, SPROF_TRACE_COST_STOP,
		"a function returns, to ip: uretprobe:FUNC@\"FILE\""},
	{SPROF_TRACE_PROFILE, NULL, "profile", false, FIELDS(sample_fields),
		SPROF_TRACE_BY_CLOCK, SPROF_TRACE_COST_SAMPLE,
		"a thread has used the CPU for 1/N s (-F N)"},
	{SPROF_TRACE_SAMPLE, NULL, "sample", false, FIELDS(sample_fields),
		SPROF_TRACE_BY_SAMPLER, SPROF_TRACE_COST_SAMPLE, "sprof has taken a sample"},
};
/* clang-format on */

const struct sprof_trace_type_row *sprof_trace_types(size_t *ret_count)
{
	*ret_count = COUNT(rows);
	return rows;
}

const struct sprof_trace_type_row *sprof_trace_type_row(enum sprof_trace_type type)
{
	size_t i = 0;

	while (rows[i].type != type)
		i++;
	return &rows[i];
}

int sprof_trace_type_name(
	const struct sprof_trace_type_row *row, const char *suffix, char *buffer, size_t size)
{
	if (!row->per_name)
		suffix = "";
	else if (!suffix)
		suffix = "*";

	return snprintf(buffer, size, "%s%s%s%s", row->group ? row->group : "",
		row->group ? ":" : "", row->name, suffix);
}

const char *sprof_trace_source_name(enum sprof_trace_source source)
{
	switch (source) {
	case SPROF_TRACE_BY_CALL_STOPS:
		return "ptrace, each call";
	case SPROF_TRACE_BY_SECCOMP:
		return "ptrace, chosen calls";
	case SPROF_TRACE_BY_EVENT_STOPS:
		return "ptrace";
	case SPROF_TRACE_BY_TRACEPOINT:
		return "tracepoints";
	case SPROF_TRACE_BY_SWITCHES:
		return "perf switch records";
	case SPROF_TRACE_BY_CLOCK:
		return "perf task clock";
	case SPROF_TRACE_BY_SAMPLER:
		return "samples";
	case SPROF_TRACE_BY_FAULTS:
		return "perf page faults";
	case SPROF_TRACE_BY_UPROBE:
		return "uprobes";
	case SPROF_TRACE_BY_BREAKPOINT:
		return "breakpoints";
	default:
		return NULL;
	}
}

const char *sprof_trace_cost_name(enum sprof_trace_cost cost)
{
	switch (cost) {
	case SPROF_TRACE_COST_RECORD:
		return "record";
	case SPROF_TRACE_COST_STOP:
		return "stop";
	case SPROF_TRACE_COST_SAMPLE:
		return "sample";
	default:
		return NULL;
	}
}

/* How many values an event of the row has: those of its last field are the last ones. */
static size_t values_of(const struct sprof_trace_type_row *row)
{
	const struct sprof_trace_field *last = &row->fields[row->field_count - 1];

	return (size_t)last->index + last->count;
}

size_t sprof_trace_event_values(const struct sprof_trace_event *event)
{
	return values_of(sprof_trace_type_row(event->type));
}

static size_t text_size(const char *text)
{
	return strnlen(text, MAX_TEXT) + 1;
}

size_t sprof_trace_event_copy_size(const struct sprof_trace_event *event)
{
	const struct sprof_trace_type_row *row = sprof_trace_type_row(event->type);
	size_t size = sizeof(*event) + values_of(row) * sizeof(event->fields[0]);

	for (size_t i = 0; i < row->field_count; i++) {
		if (row->fields[i].kind == SPROF_TRACE_TEXT)
			size += text_size(event->fields[row->fields[i].index].text);
	}
	return size;
}

/* Moves the texts of the copied values to `at`. */
static void copy_texts(
	const struct sprof_trace_type_row *row, struct sprof_trace_value *values, char *at)
{
	for (size_t i = 0; i < row->field_count; i++) {
		struct sprof_trace_value *value = &values[row->fields[i].index];
		size_t size;

		if (row->fields[i].kind != SPROF_TRACE_TEXT)
			continue;
		size = text_size(value->text);
		memcpy(at, value->text, size - 1);
		at[size - 1] = '\0';
		value->text = at;
		at += size;
	}
}

struct sprof_trace_event *sprof_trace_event_copy(const struct sprof_trace_event *event)
{
	const struct sprof_trace_type_row *row = sprof_trace_type_row(event->type);
	struct sprof_trace_event *copy = malloc(sprof_trace_event_copy_size(event));
	struct sprof_trace_value *values;

	if (!copy)
		return NULL;
	values = (struct sprof_trace_value *)(copy + 1);
	*copy = *event;
	memcpy(values, event->fields, values_of(row) * sizeof(values[0]));
	copy_texts(row, values, (char *)(values + values_of(row)));
	copy->fields = values;
	return copy;
}
