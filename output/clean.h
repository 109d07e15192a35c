/*
 * Names from the target are hostile input: they may hold anything but NUL.
 */
#ifndef SPROF_OUTPUT_CLEAN_H
#define SPROF_OUTPUT_CLEAN_H

#include <stddef.h>

/*
 * A copy, to be freed, that is valid UTF-8 and harmless: characters that move the cursor, colour,
 * reorder or break a line become '?', and bytes that are not UTF-8 become U+FFFD. `replace` is
 * pairs of characters ("; :" would be wrong, ";:" is right): the second replaces the first; NULL:
 * none. An empty text becomes "?". NULL: no memory.
 */
char *sprof_clean_text(const char *text, const char *replace);

/*
 * The same into a buffer of `size` bytes, at least 5, without pairs; empty stays empty. Cuts after
 * a whole character if it doesn't fit; three times the text's length plus 4 bytes suffice.
 */
void sprof_clean_copy(const char *text, char *buffer, size_t size);

#endif
