/*
 * Writes files during a recording: a snapshot of the profile so far (SIGUSR1), and the profile of a
 * period.
 */
#ifndef SPROF_CMD_INTERIM_H
#define SPROF_CMD_INTERIM_H

#include "cmd/recording.h"
#include "profile/profile.h"

struct sprof_interim {
	const struct sprof_recording *options;
	struct sprof_profile *profile;
	struct sprof_modules *modules;
	const struct sprof_quality *quality;     /* updated during the recording */
	struct sprof_placeholders_moment moment; /* for the names of the files */
	int busy;        /* a pipe at end-of-file once the writer has finished; -1: no writer */
	size_t failures; /* number of writers that failed */
};

/*
 * Starts a writer, unless the previous snapshot is still being written. `data` is a struct
 * sprof_interim.
 */
void sprof_interim_take(void *data);

/* Whether the previous writer has finished. */
bool sprof_interim_is_ready(struct sprof_interim *interim);

/*
 * Starts to write the current profile's files. Returns false, after a message, if that is not
 * possible now.
 */
bool sprof_interim_start(struct sprof_interim *interim);

/* Writes the current profile's files in this process; at the end of the run including stdout. */
struct sprof_written sprof_interim_write(const struct sprof_interim *interim, bool with_stdout);

/* Waits for the last writer, so that it does not replace a newer file. */
void sprof_interim_finish(struct sprof_interim *interim);

#endif
