/*
 * Texts that have to fit into a line.
 */
#ifndef SPROF_OUTPUT_FIT_H
#define SPROF_OUTPUT_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* Characters of a text that is valid UTF-8. */
size_t sprof_fit_length(const char *text);

/*
 * A copy, to be freed, of a clean text, with its middle left out where it has more characters than there is
 * room for, which is at least 5. NULL: no memory.
 */
char *sprof_fit(const char *clean, size_t room);

/*
 * The same of a function's name, not cleaned yet: first its parameters and template arguments go, which tell
 * the least; also where it fits, if `short_name`. room is 0: it fits.
 */
char *sprof_fit_function(const char *name, bool short_name, size_t room);

#endif
