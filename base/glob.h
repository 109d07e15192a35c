/*
 * Patterns of names: * ? [abc] [a-z] [!abc] [^abc], and \ before a character that means itself.
 */
#ifndef SPROF_BASE_GLOB_H
#define SPROF_BASE_GLOB_H

#include <stdbool.h>

/* Whether the whole text matches. A [ without its ] means itself. No allocation; the time is at most
 * the product of both lengths. */
bool sprof_glob_matches(const char *pattern, const char *text);

#endif
