/*
 * The environment: unchanged for the program, without DEBUGINFOD_URLS for sprof.
 */
#ifndef SPROF_CMD_ENVIRONMENT_H
#define SPROF_CMD_ENVIRONMENT_H

#include "base/attributes.h"

/*
 * The environment that sprof was started with, for the launched program. The caller frees it, not
 * the strings. Removes DEBUGINFOD_URLS from sprof's own environment. NULL: no memory.
 */
char **sprof_environment_take(void) SPROF_MUST_USE;

#endif
