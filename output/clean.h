/*
 * Names from the target are hostile input: they may hold anything but NUL.
 */
#ifndef SPROF_OUTPUT_CLEAN_H
#define SPROF_OUTPUT_CLEAN_H

#include <stddef.h>

/*
 * A copy, to be freed, that is valid UTF-8 without anything that moves the cursor, colours,
 * reorders or breaks a line: such characters become '?', bytes that are no UTF-8 U+FFFD. Of the
 * pairs of characters in `replace` ("; :" would be wrong, ";:" is right) the first is replaced by
 * the second; NULL: none. An empty text becomes "?". NULL: no memory.
 */
char *sprof_clean_text(const char *text, const char *replace);

/*
 * The same in a buffer of `size` bytes, at least 5, without pairs; empty stays empty. What has no room is cut
 * off behind a whole character: three times the text's length and 4 bytes have room for all.
 */
void sprof_clean_copy(const char *text, char *buffer, size_t size);

#endif
