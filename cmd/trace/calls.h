/* sprof trace --impl syscalls: each pair of a system call's start and end counts as a call. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "events/language/event-list.h"
#include "events/pairs/pairs.h"
#include "events/syscalls/table.h"

struct sprof_trace_calls {
	struct sprof_call_table interval, total;
};

/* Empty. Calls above threshold_ns are also counted separately; 0: off. */
struct sprof_trace_calls sprof_trace_calls_of(bool by_thread, uint64_t threshold_ns);
void sprof_trace_calls_finish(struct sprof_trace_calls *calls);

/* Checks that all pairs of the list are begin and end of a system call. */
SPROF_MUST_USE bool sprof_trace_calls_check(
	const struct sprof_event_list *list, bool cycle, struct sprof_error *err);

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_trace_calls_add(
	struct sprof_trace_calls *calls, const struct sprof_trace_instance *instance);
/* Adds the interval's calls to the total. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_trace_calls_end_interval(struct sprof_trace_calls *calls);
