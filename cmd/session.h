/*
 * One recording from start to end: trace, sample, name, write. What run and attach have in common.
 */
#ifndef SPROF_CMD_SESSION_H
#define SPROF_CMD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/recording.h"
#include "cmd/tracing.h"

struct sprof_session_result {
	bool program_ended; /* the launched one */
	int wait_status;    /* then, as waitpid(2) encodes it */
	bool program_left;  /* it was not profiled to its end; a message has said so */
	int ended_by;       /* the signal to sprof that ended the run; 0: none */
	uint64_t samples;
	struct sprof_written written;
	bool cut_short; /* sampling ended early; a message has said why */
};

/* Checks before the run that the outputs and the stats file can be written. */
bool sprof_session_prepare(struct sprof_recording *options, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Records and writes all outputs. False when nothing could be recorded; failures of single outputs
 * are reported on stderr and counted. The subject's environment is filled in here.
 */
bool sprof_session_run(const struct sprof_recording *options, struct sprof_subject *subject,
	struct sprof_session_result *ret, struct sprof_error *err) SPROF_MUST_USE;

/*
 * sprof's exit code for the recording: 0; 1 when a part of what was asked for is missing; 2 when
 * nothing could be written.
 */
int sprof_session_exit(const struct sprof_session_result *result);

#endif
