/*
 * Buffered output to a descriptor, or to a file that is renamed when complete. Does not handle the
 * content (the formats do), or the meaning of a path (place.c does). A new file is created without
 * a name (O_TMPFILE) in the target's folder, so a killed sprof leaves nothing; it is linked only
 * for the rename. Without support for that, it is created with O_EXCL under a unique name. So
 * another user's file or link is never opened by mistake.
 */
#include "output/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strings.h"
#include "output/place.h"

enum { BUFFER_SIZE = 64 * 1024, MAX_ATTEMPTS = 100 };

struct sprof_out {
	int fd;
	bool owned;           /* we close the descriptor */
	int failure;          /* errno of the first error; 0: none */
	char *name;           /* as the user gave it */
	char *final_path;     /* the finished file's path; NULL: written in place */
	char *temporary_path; /* the path until then; NULL: the file has no name yet */
	bool keeps_old;       /* rename the replaced file */
	size_t used;
	char buffer[BUFFER_SIZE];
};

static void release(struct sprof_out *out)
{
	if (!out)
		return;
	if (out->owned && out->fd >= 0)
		close(out->fd);
	free(out->name);
	free(out->final_path);
	free(out->temporary_path);
	free(out);
}

static struct sprof_out *allocate(const char *name)
{
	struct sprof_out *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->fd = -1;
	out->name = strdup(name);
	if (!out->name) {
		release(out);
		return NULL;
	}
	return out;
}

bool sprof_out_open_fd(int fd, const char *name, struct sprof_out **ret, struct sprof_error *err)
{
	struct sprof_out *out = allocate(name);

	if (!out)
		return sprof_error_no_memory(err);
	out->fd = fd;
	*ret = out;
	return true;
}

/* Chooses a temporary name in the file's folder. Returns false if out of memory. */
static bool choose_name(struct sprof_out *out)
{
	const char *slash = strrchr(out->final_path, '/');
	int folder = slash ? (int)(slash - out->final_path) + 1 : 0;

	free(out->temporary_path);
	out->temporary_path =
		sprof_string_print("%.*s.sprof-%ld-%06llx.tmp", folder, out->final_path,
			(long)getpid(), (unsigned long long)sprof_clock_now_ns() % 0x1000000);
	return out->temporary_path;
}

static void forget_name(struct sprof_out *out)
{
	free(out->temporary_path);
	out->temporary_path = NULL;
}

/* Makes a new file with a unique name. Returns an errno value, 0 for success. */
static int open_named(struct sprof_out *out)
{
	int failure = EEXIST;

	for (int i = 0; i < MAX_ATTEMPTS && failure == EEXIST; i++) {
		if (!choose_name(out))
			return ENOMEM;
		out->fd = open(out->temporary_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		failure = out->fd < 0 ? errno : 0;
	}
	if (failure)
		forget_name(out); /* not ours: nothing to unlink */
	return failure;
}

/*
 * Creates a file without a name, which disappears if sprof is killed. Returns false if the file
 * system can't.
 */
static bool open_nameless(struct sprof_out *out)
{
	char folder[PATH_MAX] = ".";
	const char *slash = strrchr(out->final_path, '/');

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - out->final_path) + 1,
			out->final_path);
	out->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	return out->fd >= 0;
}

/* Gives the file a name (open(2), O_TMPFILE). Returns an errno value, 0 for success. */
static int name_nameless(struct sprof_out *out)
{
	int failure = EEXIST;
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", out->fd);
	for (int i = 0; i < MAX_ATTEMPTS && failure == EEXIST; i++) {
		if (!choose_name(out))
			return ENOMEM;
		failure = linkat(AT_FDCWD, self, AT_FDCWD, out->temporary_path, AT_SYMLINK_FOLLOW)
			? errno
			: 0;
	}
	if (failure)
		forget_name(out);
	return failure;
}

/* Opens a new file for the place. Returns an errno value, 0 for success. */
static int open_in_same_folder(struct sprof_out *out, const char *path)
{
	out->final_path = strdup(path);
	if (!out->final_path)
		return ENOMEM;
	return open_nameless(out) ? 0 : open_named(out);
}

/* Returns an errno value, 0 for success. */
static int open_device(struct sprof_out *out, const char *path)
{
	struct stat status;

	out->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (out->fd < 0)
		return errno;
	/* The device may have been replaced. */
	return fstat(out->fd, &status) || !sprof_place_takes_text(&status) ? EEXIST : 0;
}

static int open_place(struct sprof_out *out, const struct sprof_place *place)
{
	int failure;

	out->owned = true;
	switch (place->kind) {
	case SPROF_PLACE_DESCRIPTOR:
		out->fd = fcntl(place->descriptor, F_DUPFD_CLOEXEC, 0);
		return out->fd < 0 ? errno : 0;
	case SPROF_PLACE_DEVICE:
		return open_device(out, place->path);
	case SPROF_PLACE_FILE:
		failure = open_in_same_folder(out, place->path);
		/* Does not keep a mode that another user has chosen. */
		if (!failure && place->is_own && fchmod(out->fd, place->mode))
			failure = errno;
		return failure;
	case SPROF_PLACE_NEW:
		break;
	}
	return open_in_same_folder(out, place->path);
}

bool sprof_out_open(const char *path, struct sprof_out **ret, struct sprof_error *err)
{
	struct sprof_place place;
	struct sprof_out *out;
	int failure;

	if (!sprof_place_find(path, &place, err))
		return false;
	out = allocate(path);
	if (!out)
		return sprof_error_no_memory(err);
	failure = open_place(out, &place);
	if (failure) {
		sprof_out_discard(out);
		return sprof_error_errno(err, failure, "can't write %s", path);
	}
	*ret = out;
	return true;
}

bool sprof_out_probe(const char *path, struct sprof_error *err)
{
	struct sprof_place place;
	struct sprof_out *out;

	if (!sprof_place_find(path, &place, err))
		return false;
	if (place.kind == SPROF_PLACE_DEVICE)
		return true;
	if (!sprof_out_open(path, &out, err))
		return false;
	sprof_out_discard(out);
	return true;
}

/* Another user of the pipe may have made it non-blocking. */
static bool wait_writable(int fd)
{
	struct pollfd descriptor = {.fd = fd, .events = POLLOUT};

	return poll(&descriptor, 1, -1) > 0 || errno == EINTR;
}

static void write_all(struct sprof_out *out, const char *bytes, size_t size)
{
	while (size && !out->failure) {
		ssize_t written = write(out->fd, bytes, size);

		if (written >= 0) {
			bytes += written;
			size -= (size_t)written;
		} else if (errno == EAGAIN) {
			if (!wait_writable(out->fd))
				out->failure = errno;
		} else if (errno != EINTR) {
			out->failure = errno;
		}
	}
}

void sprof_out_flush(struct sprof_out *out)
{
	write_all(out, out->buffer, out->used);
	out->used = 0;
}

void sprof_out_write(struct sprof_out *out, const void *bytes, size_t size)
{
	if (size > BUFFER_SIZE - out->used)
		sprof_out_flush(out);
	if (size > BUFFER_SIZE) {
		write_all(out, bytes, size);
		return;
	}
	memcpy(out->buffer + out->used, bytes, size);
	out->used += size;
}

void sprof_out_puts(struct sprof_out *out, const char *text)
{
	sprof_out_write(out, text, strlen(text));
}

void sprof_out_fill(struct sprof_out *out, char byte, size_t count)
{
	while (count--)
		sprof_out_write(out, &byte, 1);
}

void sprof_out_fail(struct sprof_out *out, int errnum)
{
	if (!out->failure)
		out->failure = errnum;
}

void sprof_out_printf(struct sprof_out *out, const char *format, ...)
{
	SPROF_AUTO_FREE char *text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) {
		text = NULL;
		sprof_out_fail(out, ENOMEM);
		return;
	}
	sprof_out_write(out, text, (size_t)length);
}

bool sprof_out_failed(const struct sprof_out *out)
{
	return out->failure;
}

void sprof_out_keep_old(struct sprof_out *out)
{
	out->keeps_old = true;
}

/* Returns an errno value, 0 for success. */
static int set_aside(const char *path)
{
	SPROF_AUTO_FREE char *old = sprof_string_print("%s.old", path);

	if (!old)
		return ENOMEM;
	return rename(path, old) && errno != ENOENT ? errno : 0;
}

bool sprof_out_close(struct sprof_out *out, struct sprof_error *err)
{
	bool ok;

	sprof_out_flush(out);
	if (out->final_path && !out->temporary_path && !out->failure)
		out->failure = name_nameless(out);
	if (out->owned) {
		if (close(out->fd))
			sprof_out_fail(out, errno);
		out->fd = -1;
	}
	if (out->keeps_old && out->final_path && !out->failure)
		out->failure = set_aside(out->final_path);
	if (out->final_path && !out->failure && rename(out->temporary_path, out->final_path))
		sprof_out_fail(out, errno);
	if (out->temporary_path && out->failure)
		unlink(out->temporary_path);
	ok = !out->failure;
	if (!ok)
		sprof_error_errno(err, out->failure, "can't write %s", out->name);
	release(out);
	return ok;
}

void sprof_out_discard(struct sprof_out *out)
{
	if (out && out->temporary_path)
		unlink(out->temporary_path);
	release(out);
}

bool sprof_out_end(struct sprof_out *out, bool is_whole, struct sprof_error *err)
{
	if (is_whole)
		return sprof_out_close(out, err);
	sprof_out_discard(out);
	return false;
}
