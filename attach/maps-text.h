/*
 * The text of /proc/PID/maps, also of a process whose leader has ended before its threads.
 */
#ifndef SPROF_ATTACH_MAPS_TEXT_H
#define SPROF_ATTACH_MAPS_TEXT_H

#include <sys/types.h>

/*
 * To be freed; *ret_door is an id by which the memory and the files of the process can be reached: its
 * own, or a thread's where its leader has ended. NULL: the process is gone, or no memory.
 */
char *sprof_maps_read_text(pid_t pid, pid_t *ret_door);

#endif
