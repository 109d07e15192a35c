/* Name patterns: * ? [abc] [a-z] [!abc] [^abc], and \ before a literal character. */
#ifndef SPROF_BASE_GLOB_H
#define SPROF_BASE_GLOB_H

#include <stdbool.h>

/* Whether the whole text matches. A [ without ] is literal. Does not allocate; takes at most time
 * proportional to the product of both lengths. */
bool sprof_glob_matches(const char *pattern, const char *text);

#endif
