/*
 * Single events of a target: what one is, and the catalogue of those that sprof knows, with their
 * fields and the sources that can give them.
 */
#ifndef SPROF_EVENTS_EVENT_TYPE_H
#define SPROF_EVENTS_EVENT_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

/* What sources give. Each has one row of the catalogue; sys_enter_NAME and sys_exit_NAME, which
 * only users write, are those of the raw ones. The first value of calls and probes is a number: which
 * one it is. */
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

/* Which of the two it is, the field says. A text is never NULL. */
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

/*
 * One event, as a source gives it. `fields` has the values in the order of the type's fields, that
 * of an array at its place, and lives as long as the source says: who keeps an event copies it.
 */
struct sprof_trace_event {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t thread;  /* the id of the target's thread; SPROF_TRACE_FOREIGN: not the target's */
	pid_t pid, tid;   /* as the target's namespace of sprof has them */
	int cpu;          /* -1: not known */
	uint32_t type;    /* enum sprof_trace_type */
	uint64_t stack;   /* what the source gave for its stack; 0: none */
	const struct sprof_trace_value *fields;
};

struct sprof_trace_field {
	const char *name;
	enum sprof_trace_kind kind;
	uint8_t index;   /* of its first value */
	uint8_t count;   /* 1; more: an array, of which an expression takes one by [N] */
	bool is_address; /* or bits: reports show it to base 16 */
	bool is_int;     /* a C int: the low 32 bits of its value, with their sign */
};

/* Ways to learn of events, as bits. */
enum sprof_trace_source {
	SPROF_TRACE_BY_CALL_STOPS = 1 << 0,  /* PTRACE_SYSCALL: each call stops twice */
	SPROF_TRACE_BY_SECCOMP = 1 << 1,     /* launched programs: only the chosen calls stop */
	SPROF_TRACE_BY_EVENT_STOPS = 1 << 2, /* ptrace: births, ends, execs, signals */
	SPROF_TRACE_BY_TRACEPOINT = 1 << 3,  /* perf_event_open, with its capability and tracefs */
	SPROF_TRACE_BY_SWITCHES = 1 << 4,    /* PERF_RECORD_SWITCH */
	SPROF_TRACE_BY_CLOCK = 1 << 5,       /* samples of the task clock by perf */
	SPROF_TRACE_BY_SAMPLER = 1 << 6,     /* sprof's own samples */
	SPROF_TRACE_BY_FAULTS = 1 << 7,      /* page faults by perf */
	SPROF_TRACE_BY_UPROBE = 1 << 8,      /* root: a breakpoint that the kernel handles */
	SPROF_TRACE_BY_BREAKPOINT = 1 << 9,  /* ptrace: the target's code is changed */
};

/* What one event costs the target, about, by its cheapest source. trace-facts were measured on one
 * machine; the ratio of the classes is what holds elsewhere. */
enum sprof_trace_cost {
	SPROF_TRACE_COST_RECORD, /* below 1 us: the kernel writes it down */
	SPROF_TRACE_COST_STOP,   /* some us: the thread stops */
	SPROF_TRACE_COST_SAMPLE, /* as a sample, at the chosen rate */
};

struct sprof_trace_type_row {
	enum sprof_trace_type type;
	const char *group; /* NULL: the event has none */
	const char *name;  /* of a row per name: what stands before that */
	bool per_name;     /* one event for each name of a call, or of a function */
	const struct sprof_trace_field *fields;
	size_t field_count;
	unsigned sources; /* enum sprof_trace_source */
	enum sprof_trace_cost cost;
	const char *summary;
};

/* The rows of the catalogue in the order in which people want to read them. */
const struct sprof_trace_type_row *sprof_trace_types(size_t *ret_count);

/* The row of the type itself: one per name only if all events of the type have names. */
const struct sprof_trace_type_row *sprof_trace_type_row(enum sprof_trace_type type);

/* "syscalls:sys_enter_read": `suffix` is the name of a row per name, else NULL. "*" stands for it if
 * it is NULL there. The length as snprintf(3) counts it. */
int sprof_trace_type_name(
	const struct sprof_trace_type_row *row, const char *suffix, char *buffer, size_t size);

/* One source in words, and what one event costs by it. NULL: not one bit of the enum. */
const char *sprof_trace_source_name(enum sprof_trace_source source);
const char *sprof_trace_cost_name(enum sprof_trace_cost cost);

/*
 * A copy of the event with its values and texts, a text cut after 255 bytes, in one piece of memory.
 * To be freed by free(3). NULL: no memory.
 */
SPROF_MUST_USE struct sprof_trace_event *sprof_trace_event_copy(
	const struct sprof_trace_event *event);

/* How many values it has. */
size_t sprof_trace_event_values(const struct sprof_trace_event *event);

/* The bytes that a copy takes. */
size_t sprof_trace_event_copy_size(const struct sprof_trace_event *event);

#endif
