/*
 * System calls where sprof was built without libseccomp: they have numbers only.
 */
#include "cmd/syscall-name.h"

#include <stdio.h>

void sprof_syscall_name(int64_t number, char *buffer, size_t size)
{
	snprintf(buffer, size, "system call %lld", (long long)number);
}
