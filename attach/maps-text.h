/*
 * The text of /proc/PID/maps, also of a process whose leader has ended before its threads.
 */
#ifndef SPROF_ATTACH_MAPS_TEXT_H
#define SPROF_ATTACH_MAPS_TEXT_H

#include <sys/types.h>

/*
 * To be freed; *ret_tid is by whom the memory and the files of the process can be reached: the leader, or
 * another thread where that one has ended. NULL: the process is gone, or no memory.
 */
char *sprof_maps_read_text(pid_t pid, pid_t *ret_tid);

#endif
