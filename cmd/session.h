/*
 * One recording from start to end: trace, sample, name, write. What run and attach have in common.
 */
#ifndef SPROF_CMD_SESSION_H
#define SPROF_CMD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cmd/recording.h"
#include "cmd/tracing.h"

struct sprof_session_result {
	bool program_ended; /* the launched one */
	int wait_status;    /* then, as waitpid(2) encodes it */
	bool program_left;  /* it was not profiled to its end, which has been said */
	int ended_by;       /* the signal to sprof that ended the run; 0: none */
	uint64_t samples;
	struct sprof_written written;
	bool cut_short; /* sampling ended early for a reason that was said */
};

/* Finds out before the run whether the outputs and the stats file can be written. */
bool sprof_session_prepare(struct sprof_recording *options, struct sprof_error *err);

/*
 * Records and writes all outputs. False when nothing could be recorded; failures of single outputs are
 * said on stderr and counted. The subject's environment is filled in here.
 */
bool sprof_session_run(const struct sprof_recording *options, struct sprof_subject *subject,
	struct sprof_session_result *ret, struct sprof_error *err);

/*
 * What sprof exits with as far as the recording is concerned: 0, 1 when something is missing of what was
 * asked for, 2 when nothing could be written.
 */
int sprof_session_exit(const struct sprof_session_result *result);

#endif
