/*
 * The environment: the program's as it was, sprof's without what misleads its libraries.
 */
#ifndef SPROF_CMD_ENVIRONMENT_H
#define SPROF_CMD_ENVIRONMENT_H

/*
 * The environment as sprof was started with, for the launched program, to be freed (the strings are not
 * copied); sprof itself goes on without DEBUGINFOD_URLS. NULL: no memory.
 */
char **sprof_environment_take(void);

#endif
