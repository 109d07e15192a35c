/* Saves the profile shown by sprof top. */
#ifndef SPROF_CMD_TOP_SAVE_H
#define SPROF_CMD_TOP_SAVE_H

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/profile.h"

/* Writes a copy of the named profile in the format selected by the file's suffix. */
SPROF_MUST_USE bool sprof_top_save(
	const char *path, const struct sprof_profile *profile, struct sprof_error *err);

#endif
