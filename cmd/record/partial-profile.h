/*
 * Writes files during a recording: a snapshot of the profile so far (SIGUSR1), and the profile of a
 * period.
 */
#pragma once

#include "cmd/record/recording.h"
#include "profile/model/profile.h"

struct sprof_partial {
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
 * sprof_partial.
 */
void sprof_partial_take(void *data);

/* Whether the previous writer has finished. */
bool sprof_partial_is_ready(struct sprof_partial *partial);

/*
 * Starts to write the current profile's files. Returns false, after a message, if that is not
 * possible now.
 */
bool sprof_partial_start(struct sprof_partial *partial);

/* Writes the current profile's files in this process; at the end of the run including stdout. */
struct sprof_written sprof_partial_write(const struct sprof_partial *partial, bool with_stdout);

/* Waits for the last writer, so that it does not replace a newer file. */
void sprof_partial_finish(struct sprof_partial *partial);
