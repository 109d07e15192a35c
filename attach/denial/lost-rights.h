/* Detects programs that lack the privileges of their file because they are traced. */
#pragma once

#include <sys/types.h>

#include "attach/target-internal.h"

/*
 * For a process stopped at its exec. Records the first process that executed a set-user-ID or
 * set-group-ID program, or one with file capabilities, and did not get these privileges because its
 * tracer lacks CAP_SYS_PTRACE (execve(2), ptrace(2)). Unreadable processes are not recorded.
 */
void sprof_target_check_rights(struct sprof_target *target, pid_t pid);
