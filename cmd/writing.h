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
 * Settles and names all that a run has put into its profile. with_network: debug files may be
 * fetched, if the options say so. `words` tell on a terminal what takes the time.
 */
bool sprof_writing_name(const struct sprof_naming *options, struct sprof_profile *profile,
	bool with_network, const char *words, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Names all frames and writes all outputs, stdout only if with_stdout. Failures are reported on
 * stderr.
 */
struct sprof_written sprof_writing_all(
	const struct sprof_recording *options, struct sprof_profile *profile, bool with_stdout);

#endif
