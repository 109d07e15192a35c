/*
 * Checks the requirements on this machine and process. attach/denial/denial.c explains a refused
 * attach.
 */
#include "attach/start/machine.h"

#include <errno.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "attach/start/requirements.h"
#include "base/proc-status.h"
#include "base/proc.h"

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
