/*
 * Finds what a path refers to: a new file, a file to replace, a device, or sprof's own descriptor.
 * Symbolic links are followed here for two reasons. A rename would replace the link, not its
 * target. And /dev/stdout leads through /proc/self/fd to a file that the shell has opened, which
 * must be written through the descriptor: a rename would leave the shell with an unlinked file.
 *
 * In a world-writable folder, another user may have created a link or a FIFO under that name: such
 * links are not followed, and other users' FIFOs are not written to. In the path to the folder, a
 * link is followed if it is owned by sprof's user or the folder's owner: that is the kernel's rule
 * of protected_symlinks (proc(5)), which the kernel applies only to the last part of a path.
 */
#include "output/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/strings.h"
#include "output/out.h"

enum {
	MAX_LINKS = 40 /* the kernel's MAXSYMLINKS, include/linux/namei.h */
};

/* Numbers of devices: the kernel's Documentation/admin-guide/devices.txt. */
enum {
	MAJOR_MEMORY = 1,
	MINOR_NULL = 3,
	MINOR_FULL = 7,
	MAJOR_TERMINAL = 4,
	MAJOR_OWN_TERMINAL = 5,
	MAJOR_PTY = 136,
	PTYS = 8,
};

/* Results of find() besides errno values. */
enum {
	PLANTED_LINK = -1,
	PLANTED_DEVICE = -2,
	PLANTED_WAY = -3,
	OTHER_DEVICE = -4,
};

static bool stat_folder(const char *path, struct stat *ret)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX] = ".";

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path) + 1, path);
	return !stat(folder, ret);
}

/* Whether everybody may make files in the path's folder. */
static bool is_in_open_folder(const char *path)
{
	struct stat folder;

	return stat_folder(path, &folder) && (folder.st_mode & S_IWOTH);
}

static bool descriptor_number(const char *digits, int *ret)
{
	char *end;
	long number;

	if (digits[0] < '0' || digits[0] > '9')
		return false;
	errno = 0;
	number = strtol(digits, &end, 10);
	if (*end || errno || number > INT_MAX)
		return false;
	*ret = (int)number;
	return true;
}

static bool is_descriptor(const char *path, int *ret)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
		*ret = STDOUT_FILENO;
		return true;
	}
	if (strcmp(path, "/dev/stderr") == 0) {
		*ret = STDERR_FILENO;
		return true;
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t length = strlen(folders[i]);

		if (strncmp(path, folders[i], length) == 0 && descriptor_number(path + length, ret))
			return true;
	}
	return false;
}

/* Replaces a link by its target; a relative target starts at the link's folder. */
static int follow(char *path)
{
	char target[PATH_MAX], joined[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);
	const char *slash = strrchr(path, '/');
	int folder, written;

	if (length < 0)
		return errno;
	target[length] = '\0';
	folder = slash && target[0] != '/' ? (int)(slash - path) + 1 : 0;
	written = snprintf(joined, sizeof(joined), "%.*s%s", folder, path, target);
	if (written < 0 || (size_t)written >= sizeof(joined))
		return ENAMETOOLONG;
	memcpy(path, joined, (size_t)written + 1);
	return 0;
}

/* Whether another user may have planted this link. */
static bool is_planted(const char *path, const struct stat *link)
{
	struct stat folder;

	return stat_folder(path, &folder) && (folder.st_mode & S_IWOTH) &&
		link->st_uid != geteuid() && link->st_uid != folder.st_uid;
}

/* The length of the path up to its first folder that is a link; 0: there is none. */
static size_t find_linked_folder(const char *path, struct stat *ret)
{
	char folder[PATH_MAX];

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		if (!lstat(folder, ret) && S_ISLNK(ret->st_mode))
			return (size_t)(slash - path);
	}
	return 0;
}

/* Checks the links on the way to the path's folder, one by one. Does not change the path. */
static int check_way(const char *path)
{
	char way[PATH_MAX], folder[PATH_MAX], rest[PATH_MAX];
	struct stat link;
	size_t length;
	int failure;

	snprintf(way, sizeof(way), "%s", path);
	for (int links = 0; links < MAX_LINKS; links++) {
		length = find_linked_folder(way, &link);
		if (!length)
			return 0;
		snprintf(folder, sizeof(folder), "%.*s", (int)length, way);
		if (is_planted(folder, &link))
			return PLANTED_WAY;
		failure = follow(folder);
		if (failure)
			return failure;
		snprintf(rest, sizeof(rest), "%s", way + length);
		if (strlen(folder) + strlen(rest) >= sizeof(way))
			return ENAMETOOLONG;
		stpcpy(stpcpy(way, folder), rest);
	}
	return ELOOP;
}

bool sprof_place_takes_text(const struct stat *status)
{
	if (!S_ISCHR(status->st_mode))
		return S_ISFIFO(status->st_mode);
	switch (major(status->st_rdev)) {
	case MAJOR_MEMORY:
		return minor(status->st_rdev) == MINOR_NULL || minor(status->st_rdev) == MINOR_FULL;
	case MAJOR_TERMINAL:
	case MAJOR_OWN_TERMINAL:
		return true;
	default:
		return major(status->st_rdev) >= MAJOR_PTY &&
			major(status->st_rdev) < MAJOR_PTY + PTYS;
	}
}

static int classify(struct sprof_place *place, const struct stat *status)
{
	if (S_ISDIR(status->st_mode))
		return EISDIR;
	if (!S_ISREG(status->st_mode) && !sprof_place_takes_text(status))
		return OTHER_DEVICE;
	place->kind = S_ISREG(status->st_mode) ? SPROF_PLACE_FILE : SPROF_PLACE_DEVICE;
	place->is_own = status->st_uid == geteuid();
	place->mode = status->st_mode & 0777;
	if (place->kind == SPROF_PLACE_DEVICE && !place->is_own && is_in_open_folder(place->path))
		return PLANTED_DEVICE;
	return access(place->path, W_OK) ? errno : 0;
}

/* Returns an errno value, one of the values above, or 0 for success. */
static int find(struct sprof_place *place)
{
	for (int links = 0; links < MAX_LINKS; links++) {
		struct stat status;
		int failure;

		if (is_descriptor(place->path, &place->descriptor)) {
			place->kind = SPROF_PLACE_DESCRIPTOR;
			return 0;
		}
		failure = check_way(place->path);
		if (failure)
			return failure;
		if (lstat(place->path, &status)) {
			place->kind = SPROF_PLACE_NEW;
			return errno == ENOENT ? 0 : errno;
		}
		if (!S_ISLNK(status.st_mode))
			return classify(place, &status);
		if (is_in_open_folder(place->path))
			return PLANTED_LINK;
		failure = follow(place->path);
		if (failure)
			return failure;
	}
	return ELOOP;
}

static bool refuse(const char *path, int failure, struct sprof_error *err)
{
	static const char *const said[] = {
		[-PLANTED_LINK] = "a symbolic link",
		[-PLANTED_DEVICE] = "another user's",
		[-PLANTED_WAY] = "behind another user's symbolic link",
	};

	if (failure > 0)
		return sprof_error_errno(err, failure, "can't write %s", path);
	if (failure == OTHER_DEVICE)
		return sprof_error_set(err, SPROF_ERROR_PERMISSION,
			"can't write %s: it is not a file, a pipe, a terminal, /dev/null or "
			"/dev/full",
			path);
	sprof_error_set(err, SPROF_ERROR_PERMISSION,
		"can't write %s: it is %s, in a folder that is open to all", path, said[-failure]);
	return sprof_error_hint(err, "any user may have put it there; name another file%s",
		failure == PLANTED_DEVICE ? "" : ", or the one that it points to");
}

bool sprof_place_find(const char *path, struct sprof_place *ret, struct sprof_error *err)
{
	size_t length = strlen(path);
	int failure = length < sizeof(ret->path) ? 0 : ENAMETOOLONG;

	if (!length)
		failure = ENOENT;
	if (!failure) {
		memcpy(ret->path, path, length + 1);
		failure = find(ret);
	}
	return failure ? refuse(path, failure, err) : true;
}

bool sprof_out_is_stdout(const char *path)
{
	int descriptor;

	return is_descriptor(path, &descriptor) && descriptor == STDOUT_FILENO;
}

/* The file that exists there now. */
static bool stat_place(const struct sprof_place *place, struct stat *ret)
{
	return !(place->kind == SPROF_PLACE_DESCRIPTOR ? fstat(place->descriptor, ret)
						       : stat(place->path, ret));
}

static bool is_same_node(const struct stat *one, const struct stat *two)
{
	return one->st_dev == two->st_dev && one->st_ino == two->st_ino;
}

static bool is_new_file(const struct sprof_place *place)
{
	return place->kind == SPROF_PLACE_NEW || place->kind == SPROF_PLACE_FILE;
}

bool sprof_out_is_same(const char *one, const char *two)
{
	struct sprof_place places[2];
	struct stat nodes[2];
	struct sprof_error err = {0};

	if (sprof_out_is_stdout(one) && sprof_out_is_stdout(two))
		return true;
	if (!sprof_place_find(one, &places[0], &err) || !sprof_place_find(two, &places[1], &err))
		return false;
	if (is_new_file(&places[0]) && is_new_file(&places[1]))
		return !strcmp(sprof_string_file_name(places[0].path),
			       sprof_string_file_name(places[1].path)) &&
			stat_folder(places[0].path, &nodes[0]) &&
			stat_folder(places[1].path, &nodes[1]) &&
			is_same_node(&nodes[0], &nodes[1]);
	/*
	 * Descriptors of one pipe, or of one file with its offset, replace nothing of each other.
	 */
	if (!is_new_file(&places[0]) && !is_new_file(&places[1]) &&
		(places[0].kind == SPROF_PLACE_DESCRIPTOR ||
			places[1].kind == SPROF_PLACE_DESCRIPTOR))
		return false;
	return stat_place(&places[0], &nodes[0]) && stat_place(&places[1], &nodes[1]) &&
		is_same_node(&nodes[0], &nodes[1]) && !S_ISCHR(nodes[0].st_mode);
}
