/* The argument names of system calls, and the fields that an expression on an event may use. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "events/event-type.h"

/* An event as the user named it: its catalogue row and, in a row per name, the system call. */
struct sprof_trace_scope {
	const struct sprof_trace_type_row *row;
	const char *call; /* NULL: none */
};

/* Returns false if the event has no such field. */
bool sprof_trace_scope_find(const struct sprof_trace_scope *scope, const char *name, size_t length,
	struct sprof_trace_field *ret);

/*
 * The call's argument names for a list of events, by index from 0; NULL: no more names, or none
 * known.
 */
const char *sprof_trace_call_argument(const char *call, size_t index);
