/*
 * Which process of a parallel job this is, from the variables that launchers set.
 */
#ifndef SPROF_CMD_RANK_H
#define SPROF_CMD_RANK_H

#include <stdbool.h>

/* "3"; NULL: no launcher says so. */
const char *sprof_rank_find(void);

/* Whether the job has, or may have, more than one rank. */
bool sprof_rank_has_others(void);

/* The name of this machine, "localhost" at worst; valid as long as the program. */
const char *sprof_host_name(void);

#endif
