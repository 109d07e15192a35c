/* The rank of this process in a parallel job, from environment variables set by launchers. */
#pragma once

#include <stdbool.h>

/* "3"; NULL: none. */
const char *sprof_rank_find(void);

/* Whether the job has, or may have, other ranks. */
bool sprof_rank_has_others(void);

/* This machine's name, or "localhost"; never freed. */
const char *sprof_host_name(void);
