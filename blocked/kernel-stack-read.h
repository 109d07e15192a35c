/* Reads the present kernel stack of a thread. */
#pragma once

#include <sys/types.h>

#include "blocked/kernel-stack.h"

/* Reads the whole stack if permitted (root), else the one function in wchan, else nothing. */
void sprof_kernel_stack_read(pid_t pid, pid_t tid, struct sprof_kernel_stack *ret);
