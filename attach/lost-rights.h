/*
 * Whether a program runs without the rights that its file would give it.
 */
#ifndef SPROF_ATTACH_LOST_RIGHTS_H
#define SPROF_ATTACH_LOST_RIGHTS_H

#include <sys/types.h>

#include "attach/target-internal.h"

/*
 * For a process stopped at its exec. Notes the first process that executed a set-user-ID or
 * set-group-ID program, or one with file capabilities, and did not get these rights because a
 * tracer without CAP_SYS_PTRACE traces it (execve(2), ptrace(2)). Unreadable processes are not
 * noted.
 */
void sprof_target_check_rights(struct sprof_target *target, pid_t pid);

#endif
