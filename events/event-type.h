/*
 * Single events of a target: their structure, and the catalogue of known events with their fields
 * and possible sources.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

/* The types that sources produce. Each has one row in the catalogue; sys_enter_NAME and
 * sys_exit_NAME exist only in the user's syntax and map to the raw ones. For system calls and
 * probes, the first value is the number of the call or function. */
enum sprof_trace_type {
	SPROF_TRACE_SYS_ENTER,
	SPROF_TRACE_SYS_EXIT,
	SPROF_TRACE_CLONE,
	SPROF_TRACE_FORK,
	SPROF_TRACE_EXEC,
	SPROF_TRACE_EXIT,
	SPROF_TRACE_SIGNAL,
	SPROF_TRACE_SWITCH,
	SPROF_TRACE_WAKEUP,
	SPROF_TRACE_WAKEUP_NEW,
	SPROF_TRACE_WAKING,
	SPROF_TRACE_MIGRATE,
	SPROF_TRACE_OFF,
	SPROF_TRACE_ON,
	SPROF_TRACE_PROFILE,
	SPROF_TRACE_SAMPLE,
	SPROF_TRACE_FAULT,
	SPROF_TRACE_PROBE,
	SPROF_TRACE_RETURN,
	SPROF_TRACE_TYPES,
};

/* The kind of a field and of what an expression gives. */
enum sprof_trace_kind {
	SPROF_TRACE_INTEGER,
	SPROF_TRACE_TEXT,
};

/* The field's kind selects the member. A text is never NULL. */
struct sprof_trace_value {
	union {
		int64_t integer;
		const char *text;
	};
};

enum {
	SPROF_TRACE_ARGUMENTS = 6, /* of a system call */
	SPROF_TRACE_MAX_VALUES = 9,
};

#define SPROF_TRACE_FOREIGN UINT32_MAX

/* The stack that a function's call is on. */
enum sprof_stack_kind {
	SPROF_STACK_UNKNOWN,
	SPROF_STACK_OWN,   /* the one that the thread was born with */
	SPROF_STACK_OTHER, /* a coroutine's, a signal handler's: not known which one */
};

/*
 * One event from a source. `fields` holds the values in the order of the type's fields; an array's
 * values start at its index. The source defines how long it is valid; to keep an event, copy it.
 */
struct sprof_trace_event {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	/* the target's thread id; SPROF_TRACE_FOREIGN: not a thread of the target */
	uint32_t thread;
	pid_t pid, tid; /* in sprof's pid namespace */
	int cpu;        /* -1: unknown */
	uint32_t type;  /* enum sprof_trace_type */
	enum sprof_stack_kind stack_kind;
	uint64_t stack; /* the source's id of its stack; 0: none */
	const struct sprof_trace_value *fields;
};

struct sprof_trace_field {
	const char *name;
	enum sprof_trace_kind kind;
	uint8_t index;   /* of its first value in `fields` */
	uint8_t count;   /* 1, or the length of an array, indexed by [N] in expressions */
	bool is_address; /* an address or flags: shown in hex */
	bool is_int;     /* a C int: the sign-extended low 32 bits */
};

/* Sources of events, as bits. */
enum sprof_trace_source {
	SPROF_TRACE_BY_CALL_STOPS = 1 << 0,  /* PTRACE_SYSCALL: two stops per call */
	SPROF_TRACE_BY_SECCOMP = 1 << 1,     /* launched programs: stops only at selected calls */
	SPROF_TRACE_BY_EVENT_STOPS = 1 << 2, /* ptrace: thread births and ends, execs, signals */
	/* tracepoints by perf: needs CAP_PERFMON and tracefs */
	SPROF_TRACE_BY_TRACEPOINT = 1 << 3,
	SPROF_TRACE_BY_SWITCHES = 1 << 4,   /* PERF_RECORD_SWITCH */
	SPROF_TRACE_BY_CLOCK = 1 << 5,      /* task-clock samples by perf */
	SPROF_TRACE_BY_SAMPLER = 1 << 6,    /* sprof's own samples */
	SPROF_TRACE_BY_FAULTS = 1 << 7,     /* page faults by perf */
	SPROF_TRACE_BY_UPROBE = 1 << 8,     /* needs root: a breakpoint handled by the kernel */
	SPROF_TRACE_BY_BREAKPOINT = 1 << 9, /* ptrace; changes the target's code */
};

/* Approximate cost per event for the target, with its cheapest source. Measured on one machine; the
 * ratios hold elsewhere. */
enum sprof_trace_cost {
	SPROF_TRACE_COST_RECORD, /* below 1 us: the kernel writes a record */
	SPROF_TRACE_COST_STOP,   /* some us: the thread stops */
	SPROF_TRACE_COST_SAMPLE, /* a sample, at the chosen rate */
};

struct sprof_trace_type_row {
	enum sprof_trace_type type;
	const char *group; /* NULL: the event has none */
	const char *name;  /* in a row per name: the prefix of the event names */
	bool per_name;     /* one event per system call, or per function */
	const struct sprof_trace_field *fields;
	size_t field_count;
	unsigned sources; /* enum sprof_trace_source */
	enum sprof_trace_cost cost;
	const char *summary;
};

/* The catalogue, in display order. */
const struct sprof_trace_type_row *sprof_trace_types(size_t *ret_count);

/* The row of a type. A row per name is returned only if the type has no other row. */
const struct sprof_trace_type_row *sprof_trace_type_row(enum sprof_trace_type type);

/* Writes a name such as "syscalls:sys_enter_read". `suffix`: the name in a row per name, written as
 * "*" if NULL; else NULL. Returns the length as snprintf(3) does. */
int sprof_trace_type_name(
	const struct sprof_trace_type_row *row, const char *suffix, char *buffer, size_t size);

/* A source as text, and its cost per event. NULL if `source` is not exactly one bit. */
const char *sprof_trace_source_name(enum sprof_trace_source source);
const char *sprof_trace_cost_name(enum sprof_trace_cost cost);

/*
 * Copies an event with its values and texts (cut after 255 bytes) into one allocation, to be freed
 * with free(3). Returns NULL if out of memory.
 */
SPROF_MUST_USE struct sprof_trace_event *sprof_trace_event_copy(
	const struct sprof_trace_event *event);

size_t sprof_trace_event_values(const struct sprof_trace_event *event);

/* The size of such a copy in bytes. */
size_t sprof_trace_event_copy_size(const struct sprof_trace_event *event);
