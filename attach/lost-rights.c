/*
 * Rights that tracing takes away. Knows what the kernel looks at when it executes a program
 * (fs/exec.c, bprm_fill_uid; security/commoncap.c) and compares it with what came out; where there
 * would have been none anyway, on a nosuid mount or under no_new_privs, nothing is lost.
 */
#include "attach/lost-rights.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#include "attach/procfs.h"

enum {
	STATUS_SIZE = 8192,
	EFFECTIVE = 1, /* of the real, effective, saved and file system's id */
};

/* The number at this place of a line of several; -1: there is none. */
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
	/* Without the right to execute, the bit means something else (inode(7)). */
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

bool sprof_rights_are_lost(pid_t pid)
{
	char path[64], exe[64], status[STATUS_SIZE];
	struct stat file;
	long is_kept;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (stat(exe, &file) || sprof_proc_read_path(path, status, sizeof(status)) <= 0)
		return false;
	if (has_ids(&file, status) && has_capabilities(exe, status))
		return false;
	if (sprof_proc_status_number(status, "NoNewPrivs", &is_kept) && is_kept)
		return false;
	return gives_rights(exe);
}
