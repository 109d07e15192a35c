/*
 * Once watching functions by breakpoints takes too much time, watches them in short windows,
 * between which the program runs at full speed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/functions/functions.h"
#include "cmd/functions/window-times.h"
#include "events/functions/duty.h"
#include "events/functions/overload.h"
#include "events/source.h"

struct sprof_function_windows_options {
	struct sprof_functions *functions; /* by breakpoints, unless share is 0 */
	double share; /* largest share of a thread's time to take; 0: no windows */
	/* Called at the start of a window, with how much it counts. May be NULL. */
	void (*opened)(void *data, uint64_t weight);
	/*
	 * Called at the end of a window, and of the time before the first one. Returns false if out
	 * of memory. May be NULL.
	 */
	bool (*closed)(void *data, uint64_t now_ns);
	void *data;
};

struct sprof_function_windows {
	struct sprof_function_windows_options options;
	struct sprof_event_source source; /* of `functions` */
	struct sprof_overload overload;
	struct sprof_duty duty; /* schedules the windows */
	struct sprof_window_times times;
	struct sprof_trap_floor floor; /* cost of a stop */
	uint64_t end_ns;               /* end of the run */
	uint64_t counted;              /* in the current window */
	bool has_begun;                /* windows have begun */
	bool out_of_memory;
};

/* Measures the cost of a stop. */
void sprof_function_windows_init(struct sprof_function_windows *windows,
	const struct sprof_function_windows_options *options);
void sprof_function_windows_finish(struct sprof_function_windows *windows);

/* An event source that watches the functions in windows. Valid as long as `windows`. */
struct sprof_event_source sprof_function_windows_source(struct sprof_function_windows *windows);

/*
 * A thread has stopped for an event. `counted` is summed for the error estimate. Returns false if
 * out of memory.
 */
SPROF_MUST_USE bool sprof_function_windows_stop(struct sprof_function_windows *windows,
	const struct sprof_trace_event *event, uint64_t counted);

/*
 * A thread's own running time inside windows, in ns by weight. *ret_is_most: an upper bound. Valid
 * once windows have begun.
 */
double sprof_function_windows_own(
	const struct sprof_function_windows *windows, uint32_t thread, bool *ret_is_most);
