/*
 * One recording from start to end: trace, sample, resolve names, write. Shared by run and attach.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/record/recording.h"
#include "cmd/record/tracing.h"

struct sprof_session_result {
	bool program_ended; /* the launched program has ended */
	int wait_status;    /* if so, its status as waitpid(2) encodes it */
	bool program_left;  /* profiling ended before the program did; a message was printed */
	int ended_by;       /* the signal to sprof that ended the run; 0: none */
	uint64_t samples;
	struct sprof_written written;
	bool cut_short; /* sampling ended early; a message was printed */
};

/* Checks before the run that the outputs and the stats file can be written. */
bool sprof_session_prepare(struct sprof_recording *options, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Records and writes all outputs. Returns false if nothing could be recorded. Failures of single
 * outputs are reported on stderr and counted. Sets the subject's environment.
 */
bool sprof_session_run(const struct sprof_recording *options, struct sprof_subject *subject,
	struct sprof_session_result *ret, struct sprof_error *err) SPROF_MUST_USE;

/*
 * sprof's exit code: 0; 1 if a part of the requested result is missing; 2 if nothing could be
 * written.
 */
int sprof_session_exit(const struct sprof_session_result *result);
