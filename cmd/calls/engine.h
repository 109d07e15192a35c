/*
 * Call statistics of a run: of all calls or, from some moment on, of calls seen in measuring
 * windows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/functions/windows.h"
#include "events/functions/activations.h"
#include "output/calls/windows.h"

struct sprof_calls_engine {
	struct sprof_activations_options options;
	struct sprof_function_windows windows;
	struct sprof_activations *activations;
	struct sprof_activations *in_windows; /* NULL: every call was seen */
	struct sprof_calls_windows estimate;  /* valid after close, if there were windows */
};

/*
 * `share`: largest share of a thread's time to take before windows begin; 0: no windows. Don't move
 * the engine afterwards. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_calls_engine_init(struct sprof_calls_engine *engine,
	const struct sprof_activations_options *options, struct sprof_functions *functions,
	double share);

/* As sprof_activations_take() and _gap(). */
SPROF_MUST_USE bool sprof_calls_engine_take(
	struct sprof_calls_engine *engine, const struct sprof_trace_event *event);
SPROF_MUST_USE bool sprof_calls_engine_gap(struct sprof_calls_engine *engine, uint64_t until_ns);

/* As sprof_activations_leave(). */
SPROF_MUST_USE bool sprof_calls_engine_leave(
	struct sprof_calls_engine *engine, uint32_t thread, uint64_t sp, uint64_t now_ns);

/* Ends the run; adds the estimates from windows to the books. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_calls_engine_close(
	struct sprof_calls_engine *engine, uint64_t begin_ns, uint64_t end_ns);

/* Zeroed is accepted. */
void sprof_calls_engine_finish(struct sprof_calls_engine *engine);
