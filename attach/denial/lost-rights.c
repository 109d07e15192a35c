/*
 * Detects privileges lost by tracing. Repeats the kernel's checks at an exec (fs/exec.c,
 * bprm_fill_uid; security/commoncap.c) and compares the result with the process's privileges. A
 * program that would get none anyway, on a nosuid mount or under no_new_privs, loses none.
 */
#include "attach/denial/lost-rights.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#include "base/proc-status.h"
#include "base/proc.h"

enum { EFFECTIVE = 1 }; /* of the real, effective, saved and file system's id */

/* The number at this place in a line of several numbers. -1: there is none. */
static long nth_number(const char *status, const char *field, int place)
{
	char value[64], *at = value;
	long number = -1;

	if (!sprof_proc_status_field(status, field, value, sizeof(value)))
		return -1;
	for (int i = 0; i <= place; i++)
		number = strtol(at, &at, 10);
	return number;
}

static bool has_ids(const struct stat *file, const char *status)
{
	if ((file->st_mode & S_ISUID) && nth_number(status, "Uid", EFFECTIVE) != (long)file->st_uid)
		return false;
	/* Without the execute bit, set-group-ID has another meaning (inode(7)). */
	return (file->st_mode & (S_ISGID | S_IXGRP)) != (S_ISGID | S_IXGRP) ||
		nth_number(status, "Gid", EFFECTIVE) == (long)file->st_gid;
}

static bool has_capabilities(const char *path, const char *status)
{
	char value[32];

	if (getxattr(path, "security.capability", NULL, 0) <= 0)
		return true;
	return !sprof_proc_status_field(status, "CapPrm", value, sizeof(value)) ||
		strtoull(value, NULL, 16);
}

static bool gives_rights(const char *path)
{
	struct statvfs mount;

	return statvfs(path, &mount) == 0 && !(mount.f_flag & ST_NOSUID);
}

static bool are_lost(pid_t pid)
{
	struct sprof_proc_path exe = sprof_proc_path(pid, 0, "exe");
	char status[SPROF_PROC_STATUS_MAX];
	struct stat file;
	long is_kept;

	if (stat(exe.text, &file) || sprof_proc_status_read(pid, 0, status, sizeof(status)) <= 0)
		return false;
	if (has_ids(&file, status) && has_capabilities(exe.text, status))
		return false;
	if (sprof_proc_status_number(status, "NoNewPrivs", &is_kept) && is_kept)
		return false;
	return gives_rights(exe.text);
}

void sprof_target_check_rights(struct sprof_target *target, pid_t pid)
{
	if (!target->programs.unprivileged[0] && are_lost(pid))
		sprof_target_note_name(
			pid, target->programs.unprivileged, sizeof(target->programs.unprivileged));
}
