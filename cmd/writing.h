/*
 * From a recorded profile to its files: names, outputs, stats.
 */
#ifndef SPROF_CMD_WRITING_H
#define SPROF_CMD_WRITING_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/recording.h"
#include "profile/profile.h"

/*
 * Names all frames and writes all that the options ask for, stdout only if with_stdout. What fails is
 * said on stderr.
 */
struct sprof_written sprof_writing_all(
	const struct sprof_recording *options, struct sprof_profile *profile, bool with_stdout);

#endif
