/*
 * Which of the kernel's tracepoints gives which event of the catalogue, and how a record of it is
 * read.
 */
#ifndef SPROF_EVENTS_TRACEPOINT_VALUES_H
#define SPROF_EVENTS_TRACEPOINT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/event-type.h"
#include "events/perf-event.h"
#include "events/perf-record.h"
#include "events/tracepoints.h"

enum {
	SPROF_TRACEPOINT_TEXT = 16, /* bytes of a comm (TASK_COMM_LEN) */
	SPROF_TRACEPOINT_TEXTS = 2, /* of one event */
};

/* One tracepoint, with the places of the values in its records. */
struct sprof_tracepoint_type {
	enum sprof_trace_type type;
	struct sprof_tracepoint found;
	/* of a text: its first byte */
	struct sprof_tracepoint_field values[SPROF_TRACE_MAX_VALUES];
	struct sprof_tracepoint_field tids[2]; /* whom a record is about */
	size_t tid_count;                      /* 0: the thread that runs */
};

/* What a record says: a text's value is its bytes, in the order of the fields. */
struct sprof_tracepoint_values {
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES];
	char texts[SPROF_TRACEPOINT_TEXTS][SPROF_TRACEPOINT_TEXT];
};

/*
 * Finds the tracepoint that gives events of a type. False: there is none, or tracefs can't be read.
 * Finish ret->found in both cases.
 */
SPROF_MUST_USE bool sprof_tracepoint_type_find(enum sprof_trace_type type,
	struct sprof_tracepoint_type *ret, struct sprof_perf_denial *ret_denial);

/* Whether its records are about other threads than the one that runs. */
bool sprof_tracepoint_type_is_of_machine(const struct sprof_tracepoint_type *type);

/* Reads the id of a thread that the record is about; `index` counts up to tid_count. */
bool sprof_tracepoint_type_tid(const struct sprof_tracepoint_type *type,
	const struct sprof_perf_record *record, size_t index, pid_t *ret);

/* Reads all values. What the record is too short for is 0, or empty. */
void sprof_tracepoint_values_read(const struct sprof_tracepoint_type *type,
	const struct sprof_perf_record *record, struct sprof_tracepoint_values *ret);

/* Points the values of texts to the bytes, which may have moved since. */
void sprof_tracepoint_values_settle(
	struct sprof_tracepoint_values *values, enum sprof_trace_type type);

#endif
