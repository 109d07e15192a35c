/* The user's character set, for output to the terminal. */
#pragma once

#include <stdbool.h>

/* Whether the terminal uses UTF-8. */
bool sprof_locale_is_utf8(void);

/* Sets the C library's LC_CTYPE to the user's. Returns whether it is UTF-8. */
bool sprof_locale_enter(void);
/* Sets LC_CTYPE back to "C". */
void sprof_locale_leave(void);
