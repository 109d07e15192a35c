/*
 * sprof trace --impl syscalls: each pair of a system call's begin and its end counts as a call.
 */
#ifndef SPROF_CMD_TRACE_CALLS_H
#define SPROF_CMD_TRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "events/call-table.h"
#include "events/event-list.h"
#include "events/pairs.h"

struct sprof_trace_calls {
	struct sprof_call_table interval, total;
};

/* Empty. Calls above the threshold are counted; 0: none is. */
struct sprof_trace_calls sprof_trace_calls_of(bool by_thread, uint64_t threshold_ns);
void sprof_trace_calls_finish(struct sprof_trace_calls *calls);

/* Whether all pairs of the list are those of a begin and an end. */
SPROF_MUST_USE bool sprof_trace_calls_check(
	const struct sprof_event_list *list, bool cycle, struct sprof_error *err);

/* False: no memory. */
SPROF_MUST_USE bool sprof_trace_calls_add(
	struct sprof_trace_calls *calls, const struct sprof_trace_instance *instance);
/* The interval's calls are part of the total. False: no memory. */
SPROF_MUST_USE bool sprof_trace_calls_end_interval(struct sprof_trace_calls *calls);

#endif
