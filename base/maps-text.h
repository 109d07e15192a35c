/*
 * The text of /proc/PID/maps, also of a process whose leader has ended before its threads.
 */
#ifndef SPROF_BASE_MAPS_TEXT_H
#define SPROF_BASE_MAPS_TEXT_H

#include <sys/types.h>

#include "base/attributes.h"

/*
 * The caller frees the text. *ret_tid is the thread that gives access to the process's memory and
 * files: the leader, or another thread if the leader has ended. NULL: the process is gone, or no
 * memory.
 */
SPROF_MUST_USE char *sprof_maps_read_text(pid_t pid, pid_t *ret_tid);

#endif
