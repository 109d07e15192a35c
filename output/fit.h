/* Shortens texts to the width of a line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The number of characters in valid UTF-8 text. */
size_t sprof_fit_length(const char *text);

/* The number of bytes in the first characters of a text, or in all if there are fewer. */
size_t sprof_fit_bytes(const char *text, size_t characters);

/*
 * A copy of a sanitised text, with the middle removed if it has more than `room` characters (at
 * least 5). The caller frees it. Returns NULL if out of memory.
 */
char *sprof_fit(const char *clean, size_t room);

/*
 * The same for a function's name, which need not be sanitised. Removes parameters and template
 * arguments first, because they are the least informative; `short_name`: always. room 0: no limit.
 */
char *sprof_fit_function(const char *name, bool short_name, size_t room);
