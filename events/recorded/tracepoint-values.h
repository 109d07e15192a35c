/*
 * Maps kernel tracepoints to event types of the catalogue, and reads the values from their records.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/event-type.h"
#include "events/perf/event.h"
#include "events/perf/record.h"
#include "events/recorded/tracepoints.h"

enum {
	SPROF_TRACEPOINT_TEXT = 16, /* bytes of a comm (TASK_COMM_LEN) */
	SPROF_TRACEPOINT_TEXTS = 2, /* per event */
};

/* One tracepoint, with the offsets of the values in its records. */
struct sprof_tracepoint_type {
	enum sprof_trace_type type;
	struct sprof_tracepoint found;
	/* of a text: its first byte */
	struct sprof_tracepoint_field values[SPROF_TRACE_MAX_VALUES];
	struct sprof_tracepoint_field tids[2]; /* the tids of the threads concerned */
	size_t tid_count;                      /* 0: the running thread */
};

/* The values of a record. A text value points to its bytes, in the order of the fields. */
struct sprof_tracepoint_values {
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES];
	char texts[SPROF_TRACEPOINT_TEXTS][SPROF_TRACEPOINT_TEXT];
};

/*
 * Finds the tracepoint for a type. Returns false if there is none, or tracefs can't be read. Finish
 * ret->found in both cases.
 */
SPROF_MUST_USE bool sprof_tracepoint_type_find(enum sprof_trace_type type,
	struct sprof_tracepoint_type *ret, struct sprof_perf_denial *ret_denial);

/* Whether its records concern other threads than the running one. */
bool sprof_tracepoint_type_is_of_machine(const struct sprof_tracepoint_type *type);

/* Reads the tid of a thread concerned; `index` is below tid_count. */
bool sprof_tracepoint_type_tid(const struct sprof_tracepoint_type *type,
	const struct sprof_perf_record *record, size_t index, pid_t *ret);

/* Reads all values. Values beyond the record's end are 0, or empty. */
void sprof_tracepoint_values_read(const struct sprof_tracepoint_type *type,
	const struct sprof_perf_record *record, struct sprof_tracepoint_values *ret);

/* Points text values to their bytes again, after `values` has moved. */
void sprof_tracepoint_values_settle(
	struct sprof_tracepoint_values *values, enum sprof_trace_type type);
