/* The last recording. It is kept so that `sprof report` can show it in full. */
#pragma once

#include "profile/model/profile.h"

/* The file's path; NULL: no suitable folder. The text is static. */
const char *sprof_last_recording_path(void);

/* The path for writing: creates the folder if missing. NULL also if others could write there. */
const char *sprof_last_recording_make(void);

/* Prints which recording is shown, because the user named no file and may expect another one. */
void sprof_last_recording_say(const struct sprof_profile *profile);
