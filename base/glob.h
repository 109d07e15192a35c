/* Name patterns: * ? [abc] [a-z] [!abc] [^abc], and \ before a literal character. */
#pragma once

#include <stdbool.h>

/* Whether the whole text matches. A [ without ] is literal. Does not allocate; takes at most time
 * proportional to the product of both lengths. */
bool sprof_glob_matches(const char *pattern, const char *text);
