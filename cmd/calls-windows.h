/* The part of `sprof calls` for runs that used measuring windows. */
#ifndef SPROF_CMD_CALLS_WINDOWS_H
#define SPROF_CMD_CALLS_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/function-windows.h"
#include "events/activations.h"
#include "output/json.h"
#include "output/out.h"

struct sprof_calls_windows {
	uint64_t since_ns;     /* since the begin of the run */
	uint64_t length_ns;    /* from since_ns to the end of the run */
	uint64_t count, on_ns; /* number of windows, and their total length */
	uint64_t taken_ns;     /* largest time taken from a thread */
	double share;          /* the permitted share */
	double error;          /* standard error of the counts since since_ns; infinite: unknown */
	bool are_bounds;       /* for some threads, counts are lower bounds */
};

/*
 * Adds the estimate from the windows to the earlier counts. `begin_ns`: begin of the run. Returns
 * false if out of memory.
 */
SPROF_MUST_USE bool sprof_calls_windows_add(const struct sprof_function_windows *windows,
	const struct sprof_activations *seen, struct sprof_activations *to, uint64_t begin_ns,
	struct sprof_calls_windows *ret);

/* Writes notes below the table's head. */
void sprof_calls_windows_write(const struct sprof_calls_windows *windows, struct sprof_out *out);
/* The same for lists of the calls seen. */
void sprof_calls_windows_write_seen(
	const struct sprof_calls_windows *windows, struct sprof_out *out);
/* ,"windows":... NULL: null. */
void sprof_calls_windows_json(const struct sprof_calls_windows *windows, struct sprof_json *json);

#endif
