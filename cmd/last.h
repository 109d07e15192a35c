/*
 * The last recording that was shown on a terminal. It is kept so that `sprof report` can show all
 * of it.
 */
#ifndef SPROF_CMD_LAST_H
#define SPROF_CMD_LAST_H

#include "profile/profile.h"

/*
 * The file's path; NULL: there is no place for it. The text is valid as long as the program runs.
 */
const char *sprof_last_path(void);

/*
 * The path for writing: makes the folder if it is missing. NULL also: others may write to the
 * place.
 */
const char *sprof_last_make(void);

/* Says which recording is shown, because the user named no file and may have meant another. */
void sprof_last_say(const struct sprof_profile *profile);

#endif
