/* Turns a recorded profile into files: resolves names, writes outputs and stats. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cmd/record/recording.h"
#include "profile/model/profile.h"

/*
 * Settles the profile and resolves its names. with_network: debug files may be downloaded if the
 * options say so. `words` name the task in a progress message.
 */
bool sprof_writing_name(const struct sprof_naming *options, struct sprof_profile *profile,
	bool with_network, const char *words, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Resolves names and writes all outputs, including stdout only if with_stdout. Reports failures on
 * stderr.
 */
struct sprof_written sprof_writing_all(
	const struct sprof_recording *options, struct sprof_profile *profile, bool with_stdout);
