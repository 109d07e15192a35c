/* Tables that `sprof trace` shares with `sprof calls` and `sprof heap`. */
#ifndef SPROF_CMD_TRACE_BOOKS_H
#define SPROF_CMD_TRACE_BOOKS_H

#include <stdbool.h>

#include "base/attributes.h"
#include "cmd/trace/state.h"

/*
 * --impl call and call-delay: functions and callers, and the tree of calls. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_trace_write_nested(struct trace *trace, bool whole_run);

/* --impl kmemprof: the sums so far; at the end everything. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_trace_write_sums(struct trace *trace);
SPROF_MUST_USE bool sprof_trace_write_heap(struct trace *trace);

#endif
