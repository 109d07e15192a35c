/* Reads /proc/PID/maps, also of a process with a leader that has ended. */
#ifndef SPROF_BASE_MAPS_TEXT_H
#define SPROF_BASE_MAPS_TEXT_H

#include <sys/types.h>

#include "base/attributes.h"

/*
 * The caller frees the text. *ret_tid is the thread through which memory and files are accessible:
 * the leader, or another thread if the leader has ended. Returns NULL if the process is gone, or
 * out of memory.
 */
SPROF_MUST_USE char *sprof_maps_read_text(pid_t pid, pid_t *ret_tid);

#endif
