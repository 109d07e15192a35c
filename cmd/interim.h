/*
 * SIGUSR1: writing what there is so far while the recording goes on.
 */
#ifndef SPROF_CMD_INTERIM_H
#define SPROF_CMD_INTERIM_H

#include "cmd/recording.h"
#include "profile/profile.h"

struct sprof_interim {
	const struct sprof_recording *options;
	struct sprof_profile *profile;
	const struct sprof_quality *quality; /* as it is at any moment */
	int busy; /* reads end-of-file once the writer is done; -1: there is none */
};

/* Starts to write the files, unless the last snapshot is still at it. data is a struct sprof_interim. */
void sprof_interim_take(void *data);

/* Waits until the last snapshot is written, so that it doesn't replace something newer. */
void sprof_interim_finish(struct sprof_interim *interim);

#endif
