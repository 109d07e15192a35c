/*
 * Checks the requirements on this machine and process: kernel and /proc. attach/denial/denial.c explains a refused
 * attach.
 */
#include "attach/start/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/proc-status.h"
#include "base/proc.h"

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

static bool check_release(struct sprof_error *err)
{
	struct utsname name;

	if (!uname(&name) && sprof_requirements_has_release(name.release))
		return true;
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"this kernel calls itself Linux %.64s, and sprof needs 5.7 or later: with an older "
		"one "
		"it could hang, and the program with it",
		name.release);
}

bool sprof_machine_check_proc(struct sprof_error *err)
{
	char status[SPROF_PROC_STATUS_MAX];

	if (sprof_proc_status_read(SPROF_PROC_SELF, 0, status, sizeof(status)) < 0) {
		sprof_error_errno(err, errno, "read /proc/self/status");
		return sprof_error_hint(err, "sprof needs /proc: mount -t proc proc /proc");
	}
	if (sprof_requirements_has_own_proc(status, getpid()))
		return true;
	sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"/proc is not of the pid namespace that sprof runs in: its numbers would be those "
		"of "
		"other processes");
	return sprof_error_hint(err,
		"mount one that is: unshare --pid --fork --mount-proc, or in the namespace "
		"mount -t proc proc /proc");
}

bool sprof_machine_check(struct sprof_error *err)
{
	return check_release(err) && sprof_machine_check_proc(err);
}
