/* The part of `sprof calls` for runs that used measuring windows. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "output/json.h"
#include "output/out.h"

struct sprof_calls_windows {
	uint64_t since_ns;     /* since the start of the run */
	uint64_t length_ns;    /* from since_ns to the end of the run */
	uint64_t count, on_ns; /* number of windows, and their total length */
	uint64_t taken_ns;     /* largest time taken from a thread */
	double share;          /* the permitted share */
	double error;          /* standard error of the counts since since_ns; infinite: unknown */
	bool are_bounds;       /* for some threads, counts are lower bounds */
};

/* Lines below the head of the table. */
void sprof_calls_windows_write(const struct sprof_calls_windows *windows, struct sprof_out *out);
/* The same for lists of the calls seen. */
void sprof_calls_windows_write_seen(
	const struct sprof_calls_windows *windows, struct sprof_out *out);
/* ,"windows":... NULL: null. */
void sprof_calls_windows_json(const struct sprof_calls_windows *windows, struct sprof_json *json);
