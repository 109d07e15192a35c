/*
 * What `sprof calls` says of a run that was watched in windows from some moment on.
 */
#ifndef SPROF_CMD_CALLS_WINDOWS_H
#define SPROF_CMD_CALLS_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "output/json.h"
#include "output/out.h"

struct sprof_calls_windows {
	uint64_t since_ns;     /* from the begin of the run; */
	uint64_t length_ns;    /* from then to the end of the run */
	uint64_t count, on_ns; /* windows, and their time */
	uint64_t taken_ns;     /* of a thread's time, at most */
	double share;          /* what may be taken */
	double error;    /* the standard error of the counts since then; infinite: not known */
	bool are_bounds; /* of some threads, less than there was */
};

/* Lines below the head of the table. */
void sprof_calls_windows_write(const struct sprof_calls_windows *windows, struct sprof_out *out);
/* For what lists the calls that were seen. */
void sprof_calls_windows_write_seen(
	const struct sprof_calls_windows *windows, struct sprof_out *out);
/* ,"windows":... NULL: null. */
void sprof_calls_windows_json(const struct sprof_calls_windows *windows, struct sprof_json *json);

#endif
