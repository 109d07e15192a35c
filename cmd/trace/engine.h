/* The analysis of `sprof trace`: pairs, nested function calls, or memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/trace/run.h"
#include "events/functions/nested-calls.h"
#include "events/heap/events.h"
#include "events/pairs/pairs.h"

/* Exactly one is used. Zeroed is empty and valid. */
struct sprof_trace_engine {
	struct sprof_pairs *pairs;
	struct sprof_nested *nested;
	struct sprof_heap_events *heap;
};

/* Checks that the list and the options suit the analysis. */
SPROF_MUST_USE bool sprof_trace_engine_check(const struct sprof_trace_options *options,
	const struct sprof_event_list *list, struct sprof_error *err);

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_trace_engine_create(const struct sprof_trace_options *options,
	const struct sprof_pairs_options *how, struct sprof_trace_engine *ret);
void sprof_trace_engine_finish(struct sprof_trace_engine *engine);

/* As the functions of events/pairs/pairs.h. All return false if out of memory. */
SPROF_MUST_USE bool sprof_trace_engine_add(struct sprof_trace_engine *engine,
	const struct sprof_trace_event *event, bool *ret_trigger);
SPROF_MUST_USE bool sprof_trace_engine_gap(struct sprof_trace_engine *engine, uint64_t end_ns);
SPROF_MUST_USE bool sprof_trace_engine_close(struct sprof_trace_engine *engine, uint64_t now_ns);
void sprof_trace_engine_overdue(struct sprof_trace_engine *engine, uint64_t now_ns,
	uint64_t than_ns, bool (*visit)(void *context, const struct sprof_trace_side *side),
	void *context);
uint64_t sprof_trace_engine_oldest_ns(const struct sprof_trace_engine *engine);
size_t sprof_trace_engine_open(const struct sprof_trace_engine *engine);
struct sprof_pairs_counts sprof_trace_engine_counts(const struct sprof_trace_engine *engine);
