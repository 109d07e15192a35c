/*
 * Writing while the recording goes on: the profile so far (SIGUSR1), and the profile of a period.
 */
#ifndef SPROF_CMD_INTERIM_H
#define SPROF_CMD_INTERIM_H

#include "cmd/recording.h"
#include "profile/profile.h"

struct sprof_interim {
	const struct sprof_recording *options;
	struct sprof_profile *profile;
	struct sprof_modules *modules;
	const struct sprof_quality *quality;     /* as it is at any moment */
	struct sprof_placeholders_moment moment; /* of the names of the files */
	int busy;        /* reads end-of-file once the writer is done; -1: there is none */
	size_t failures; /* writers that could not write something */
};

/*
 * Starts to write the files, unless the last snapshot is still being written. data is a struct
 * sprof_interim.
 */
void sprof_interim_take(void *data);

/* Whether the last writer is done, so that another one can be started. */
bool sprof_interim_is_ready(struct sprof_interim *interim);

/*
 * Starts to write the files of the current profile. False: not possible now; a message was written.
 */
bool sprof_interim_start(struct sprof_interim *interim);

/* Writes the files of the current profile in this process; the last time also stdout. */
struct sprof_written sprof_interim_write(const struct sprof_interim *interim, bool with_stdout);

/* Waits until the last snapshot is written, so that it doesn't replace something newer. */
void sprof_interim_finish(struct sprof_interim *interim);

#endif
