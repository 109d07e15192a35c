/*
 * System call names from libseccomp's tables.
 */
#include "base/syscall-name.h"

#include <seccomp.h>
#include <stdio.h>

#include "base/cleanup.h"

void sprof_syscall_name_on(uint32_t arch, int64_t number, char *buffer, size_t size)
{
	/* libseccomp's numbers of architectures are AUDIT_ARCH_* (seccomp_arch_add(3)). */
	SPROF_AUTO_FREE char *name =
		seccomp_syscall_resolve_num_arch(arch ? arch : seccomp_arch_native(), (int)number);

	if (name)
		snprintf(buffer, size, "%s", name);
	else
		snprintf(buffer, size, "system call %lld", (long long)number);
}

void sprof_syscall_name(int64_t number, char *buffer, size_t size)
{
	sprof_syscall_name_on(0, number, buffer, size);
}

/* Calls that only other architectures have get numbers below 0. */
bool sprof_syscall_find(const char *name, int64_t *ret_number)
{
	*ret_number = seccomp_syscall_resolve_name(name);
	return *ret_number >= 0;
}
