/*
 * Windows in which functions are watched by breakpoints, and between which the program runs at its own
 * speed, once watching all the time takes too much.
 */
#ifndef SPROF_CMD_FUNCTION_WINDOWS_H
#define SPROF_CMD_FUNCTION_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/functions.h"
#include "cmd/window-times.h"
#include "events/duty.h"
#include "events/overload.h"
#include "events/source.h"

struct sprof_function_windows_options {
	struct sprof_functions *functions; /* by breakpoints, if the share is not 0 */
	double share; /* of a thread's time that may be taken; 0: there are no windows */
	/* A window is over, or the time before the first one. False: no memory. NULL: not wanted. */
	bool (*closed)(void *data, uint64_t now_ns);
	void *data;
};

struct sprof_function_windows {
	struct sprof_function_windows_options options;
	struct sprof_event_source source; /* of the functions */
	struct sprof_overload overload;
	struct sprof_duty duty; /* from when there are windows */
	struct sprof_window_times times;
	struct sprof_trap_floor floor; /* of a stop */
	uint64_t end_ns;               /* of the run */
	uint64_t counted;              /* in this window */
	bool has_begun;                /* there are windows */
	bool out_of_memory;
};

/* Measures what a stop takes at least. */
void sprof_function_windows_init(struct sprof_function_windows *windows,
	const struct sprof_function_windows_options *options);
void sprof_function_windows_finish(struct sprof_function_windows *windows);

/* The source of the functions, in windows. Valid as long as `windows`. */
struct sprof_event_source sprof_function_windows_source(struct sprof_function_windows *windows);

/*
 * The functions have given an event of a thread that has stopped. `counted` is added up for the error.
 * False: no memory.
 */
SPROF_MUST_USE bool sprof_function_windows_stop(struct sprof_function_windows *windows,
	const struct sprof_trace_event *event, uint64_t counted);

/*
 * What a thread had of the windows for itself, in ns. *ret_is_most: it may have had less. Only once there have
 * been windows.
 */
double sprof_function_windows_own(
	const struct sprof_function_windows *windows, uint32_t thread, bool *ret_is_most);

#endif
