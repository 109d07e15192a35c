/*
 * Makes texts fit into a line.
 */
#ifndef SPROF_OUTPUT_FIT_H
#define SPROF_OUTPUT_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* The number of characters in valid UTF-8 text. */
size_t sprof_fit_length(const char *text);

/*
 * A copy, to be freed, of a clean text. If it has more characters than `room`, which is at least 5,
 * its middle is left out. NULL: no memory.
 */
char *sprof_fit(const char *clean, size_t room);

/*
 * The same for a function's name, which need not be clean. Parameters and template arguments go
 * first, because they tell the least; `short_name` drops them always. With room 0 any name fits.
 */
char *sprof_fit_function(const char *name, bool short_name, size_t room);

#endif
