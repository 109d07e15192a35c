/* Sanitises names from the target. They are untrusted and may contain any byte except NUL. */
#pragma once

#include <stddef.h>

/*
 * A sanitised copy in valid UTF-8; the caller frees it. Characters that move the cursor, set
 * colours, reorder or break a line become '?'; bytes that are not UTF-8 become U+FFFD. `replace` is
 * a list of character pairs (";:", not "; :"): the second replaces the first; NULL: none. An empty
 * text becomes "?". Returns NULL if out of memory.
 */
char *sprof_clean_text(const char *text, const char *replace);

/*
 * The same into a buffer of `size` bytes, at least 5, without replacements; empty stays empty.
 * Truncates at a character boundary; three times the text's length plus 4 bytes always suffice.
 */
void sprof_clean_copy(const char *text, char *buffer, size_t size);
