/*
 * Names of system calls without libseccomp: numbers only.
 */
#include "cmd/syscall-name.h"

#include <stdio.h>

void sprof_syscall_name(int64_t number, char *buffer, size_t size)
{
	snprintf(buffer, size, "system call %lld", (long long)number);
}

void sprof_syscall_name_on(uint32_t arch, int64_t number, char *buffer, size_t size)
{
	sprof_syscall_name(number, buffer, size);
}

bool sprof_syscall_find(const char *name, int64_t *ret_number)
{
	return false;
}

bool sprof_syscall_has_names(void)
{
	return false;
}
