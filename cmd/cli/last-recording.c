/*
 * The last recording is kept in $XDG_CACHE_HOME/sprof, the XDG base directory for reproducible
 * files. Readable only by the user, because it contains names of files and peers.
 */
#include "cmd/cli/last-recording.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/ui.h"

static const char file_name[] = "/sprof/last.pb.gz";

/* As root with another user's HOME, leave nothing there that this user can't remove. */
static bool is_ours(const char *path)
{
	struct stat status;

	return !stat(path, &status) && status.st_uid == geteuid();
}

/* Whether the folder is ours, and the file is not a symbolic link. */
static bool is_safe(char *path)
{
	char *slash = strrchr(path, '/');
	struct stat folder, file;
	bool ok;

	*slash = '\0';
	ok = !lstat(path, &folder) && S_ISDIR(folder.st_mode) && folder.st_uid == geteuid() &&
		!(folder.st_mode & (S_IWGRP | S_IWOTH));
	*slash = '/';
	return ok && (lstat(path, &file) || S_ISREG(file.st_mode));
}

/* The cache folder; its path must be absolute. */
static bool find_caches(char *path, size_t size)
{
	const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int length = -1;

	if (caches && caches[0] == '/')
		length = snprintf(path, size, "%s", caches);
	else if (home && home[0] == '/' && is_ours(home))
		length = snprintf(path, size, "%s/.cache", home);
	return length > 0 && (size_t)length + sizeof(file_name) <= size;
}

/* Makes the folders on the way, with access for their owner only. */
static bool make_folders(char *path)
{
	char *slash = strrchr(path, '/');
	bool ok;

	if (!slash || slash == path)
		return true;
	*slash = '\0';
	ok = !mkdir(path, 0700) || errno == EEXIST ||
		(errno == ENOENT && make_folders(path) && !mkdir(path, 0700));
	*slash = '/';
	return ok;
}

const char *sprof_last_recording_path(void)
{
	static char path[PATH_MAX];

	if (!path[0] && find_caches(path, sizeof(path)))
		strcat(path, file_name);
	return path[0] ? path : NULL;
}

const char *sprof_last_recording_make(void)
{
	const char *path = sprof_last_recording_path();
	char copy[PATH_MAX];

	if (!path)
		return NULL;
	strcpy(copy, path);
	return make_folders(copy) && is_safe(copy) ? path : NULL;
}

void sprof_last_recording_say(const struct sprof_profile *profile)
{
	const time_t start = (time_t)(profile->start_realtime_ns / SPROF_NS_PER_S);
	struct tm local;
	char when[32] = "";

	if (localtime_r(&start, &local))
		strftime(when, sizeof(when), "%F %T", &local);
	sprof_ui_progress(
		"the last recording, of %s: %s", when, profile->command ? profile->command : "?");
}
