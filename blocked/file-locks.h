/* Locks of files, by flock(2) and fcntl(2): the process that has one, from the text of /proc/locks (proc(5)). */
#ifndef SPROF_BLOCKED_FILE_LOCKS_H
#define SPROF_BLOCKED_FILE_LOCKS_H

#include <stdint.h>
#include <sys/types.h>

/*
 * The process that has the lock that `waiter` waits for in the file with this inode (0: in any). 0:
 * it waits for none, or the holder is unknown, as of locks of open files (F_OFD_SETLKW) and in other
 * pid namespaces.
 */
pid_t sprof_file_locks_find(const char *text, pid_t waiter, uint64_t inode);

#endif
