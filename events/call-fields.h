/*
 * The arguments of system calls by name, and the fields that an expression on an event may use.
 */
#ifndef SPROF_EVENTS_CALL_FIELDS_H
#define SPROF_EVENTS_CALL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "events/event-type.h"

/* An event as the user has named it: its row, and of a row per call the call. */
struct sprof_trace_scope {
	const struct sprof_trace_type_row *row;
	const char *call; /* NULL: none */
};

/* False: the event has no such field. */
bool sprof_trace_scope_find(const struct sprof_trace_scope *scope, const char *name, size_t length,
	struct sprof_trace_field *ret);

/* The names of a call's arguments for a list of events, from 0; NULL: no (further) known name. */
const char *sprof_trace_call_argument(const char *call, size_t index);

#endif
