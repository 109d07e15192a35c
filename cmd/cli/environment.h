/* Passes the environment to the program unchanged, and removes DEBUGINFOD_URLS from sprof's. */
#pragma once

#include "base/attributes.h"

/*
 * The environment that sprof was started with, for the launched program. The caller frees the
 * array, not the strings. Removes DEBUGINFOD_URLS from sprof's own environment. Returns NULL if out
 * of memory.
 */
char **sprof_environment_take(void) SPROF_MUST_USE;
