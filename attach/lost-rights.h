/*
 * Whether a program runs without the rights that its file would give it.
 */
#ifndef SPROF_ATTACH_LOST_RIGHTS_H
#define SPROF_ATTACH_LOST_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * True: the process has executed a set-user-ID or set-group-ID program, or one with file capabilities,
 * and has not got what that gives, because it is traced by somebody without CAP_SYS_PTRACE (execve(2),
 * ptrace(2)). False also when that can't be seen.
 */
bool sprof_rights_are_lost(pid_t pid);

#endif
