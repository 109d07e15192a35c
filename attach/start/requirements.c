/* Checks the kernel's release and the mount of /proc, from text. machine.c reads them. */
#include "attach/start/requirements.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/proc-status.h"

/*
 * Before 5.7, process_vm_readv(2) and files in /proc take a lock that an exec holds until the
 * tracer has reaped the process's other threads (commit 3e74fabd3971, "exec: Fix a deadlock in
 * strace"). A tracer that reads at that moment deadlocks with itself.
 */
enum { OLDEST_MAJOR = 5, OLDEST_MINOR = 7 };

bool sprof_requirements_has_release(const char *release)
{
	unsigned major, minor;

	if (sscanf(release, "%4u.%4u", &major, &minor) != 2)
		return false;
	return major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR);
}

bool sprof_requirements_has_own_proc(const char *status, pid_t self)
{
	char numbers[256], *end;
	long pid;

	if (!sprof_proc_status_field(status, "NSpid", numbers, sizeof(numbers)))
		return sprof_proc_status_number(status, "Pid", &pid) && pid == self;
	return strtol(numbers, &end, 10) == self && !*end;
}
