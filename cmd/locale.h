/*
 * The user's characters, while something is written to the terminal.
 */
#ifndef SPROF_CMD_LOCALE_H
#define SPROF_CMD_LOCALE_H

#include <stdbool.h>

/* Whether the terminal's characters are UTF-8. */
bool sprof_locale_is_utf8(void);

/* From here on, the C library's characters are the user's (LC_CTYPE). Returns whether they are UTF-8. */
bool sprof_locale_enter(void);
/* They are ASCII again. */
void sprof_locale_leave(void);

#endif
