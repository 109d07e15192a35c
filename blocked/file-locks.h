/*
 * Locks of files, made by flock(2) and fcntl(2): finds the holder in the text of /proc/locks
 * (proc(5)).
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/*
 * The process that holds the lock that `waiter` waits for, in the file with this inode (0: in any
 * file). Returns 0 if it waits for none, or if the holder is unknown, as it is for open file
 * description locks (F_OFD_SETLKW) and in other pid namespaces.
 */
pid_t sprof_file_locks_find(const char *text, pid_t waiter, uint64_t inode);
