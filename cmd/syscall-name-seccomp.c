/*
 * System call names from libseccomp's tables, for the architecture that sprof is built for.
 */
#include "cmd/syscall-name.h"

#include <seccomp.h>
#include <stdio.h>

#include "base/cleanup.h"

void sprof_syscall_name(int64_t number, char *buffer, size_t size)
{
	SPROF_AUTO_FREE char *name =
		seccomp_syscall_resolve_num_arch(seccomp_arch_native(), (int)number);

	if (name)
		snprintf(buffer, size, "%s", name);
	else
		snprintf(buffer, size, "system call %lld", (long long)number);
}
