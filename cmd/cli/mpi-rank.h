/* The rank of this process in a parallel job, from environment variables set by launchers. */
#ifndef SPROF_CMD_CLI_MPI_RANK_H
#define SPROF_CMD_CLI_MPI_RANK_H

#include <stdbool.h>

/* "3"; NULL: none. */
const char *sprof_rank_find(void);

/* Whether the job has, or may have, other ranks. */
bool sprof_rank_has_others(void);

/* This machine's name, or "localhost"; never freed. */
const char *sprof_host_name(void);

#endif
