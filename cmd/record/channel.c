/*
 * --control: opens the channel and parses lines. channel-reader.c waits for them.
 *
 * A FIFO is opened for reading and writing, so that opening does not block, and the channel does
 * not end with one writer.
 */
#include "cmd/record/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"

static const char *const words[] = {
	[SPROF_LINE_EMPTY] = "",
	[SPROF_LINE_ENABLE] = "enable",
	[SPROF_LINE_DISABLE] = "disable",
	[SPROF_LINE_PING] = "ping",
	[SPROF_LINE_STOP] = "stop",
	[SPROF_LINE_SNAPSHOT] = "snapshot",
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

enum sprof_line sprof_line_parse(const char *text, size_t length)
{
	while (length && is_blank(text[length - 1]))
		length--;
	while (length && is_blank(*text)) {
		text++;
		length--;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (sprof_string_is(text, length, words[i]))
			return (enum sprof_line)i;
	}
	return SPROF_LINE_UNKNOWN;
}

static bool refuse(struct sprof_error *err)
{
	return sprof_error_set(
		err, SPROF_ERROR_USAGE, "must be fd:N, fd:N,M, fifo:PATH or fifo:PATH,PATH");
}

/* `unusable`: the open mode that excludes the descriptor's purpose. */
static bool check_descriptor(int fd, int unusable, struct sprof_error *err)
{
	const int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "descriptor %d is not open", fd);
	if ((flags & O_ACCMODE) == unusable || flags & O_PATH)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "descriptor %d is not open for %s",
			fd, unusable == O_WRONLY ? "reading" : "writing");
	return true;
}

/* The number up to `*end`; -1: there is none. */
static int read_number(const char *text, const char **ret_end)
{
	char *end;
	unsigned long number;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	number = strtoul(text, &end, 10);
	*ret_end = end;
	return errno || number > INT_MAX ? -1 : (int)number;
}

static bool use_descriptors(
	struct sprof_channel *channel, const char *text, struct sprof_error *err)
{
	const char *end = NULL;
	struct sprof_channel found = {.lines = read_number(text, &end), .acks = -1};

	if (found.lines < 0 || (*end && *end != ','))
		return refuse(err);
	if (!check_descriptor(found.lines, O_WRONLY, err))
		return false;
	if (*end == ',') {
		found.acks = read_number(end + 1, &end);
		if (found.acks < 0 || *end)
			return refuse(err);
		if (!check_descriptor(found.acks, O_RDONLY, err))
			return false;
	}
	*channel = found;
	return true;
}

/* -1: the error says why. */
static int open_fifo(const char *path, struct sprof_error *err)
{
	/* Opening anything else than a FIFO may have side effects. */
	struct stat status;
	int fd;

	if (stat(path, &status)) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "%s: %s", path, strerror(errno));
		return -1;
	}
	if (!S_ISFIFO(status.st_mode)) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "%s is not a fifo", path);
		sprof_error_hint(err, "make one with mkfifo");
		return -1;
	}
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		sprof_error_set(err, SPROF_ERROR_USAGE, "%s: %s", path, strerror(errno));
	return fd;
}

static bool open_fifos(struct sprof_channel *channel, const char *text, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *lines = strdup(text);
	struct sprof_channel found = {.acks = -1};
	char *acks;

	if (!lines)
		return sprof_error_no_memory(err);
	acks = strchr(lines, ',');
	if (acks)
		*acks++ = '\0';
	if (!*lines || (acks && !*acks))
		return refuse(err);
	found.lines = open_fifo(lines, err);
	if (found.lines < 0)
		return false;
	if (acks) {
		found.acks = open_fifo(acks, err);
		if (found.acks < 0) {
			close(found.lines);
			return false;
		}
	}
	*channel = found;
	return true;
}

bool sprof_channel_open(void *field, const char *text, struct sprof_error *err)
{
	if (!strncmp(text, "fd:", 3))
		return use_descriptors(field, text + 3, err);
	if (!strncmp(text, "fifo:", 5))
		return open_fifos(field, text + 5, err);
	return refuse(err);
}
