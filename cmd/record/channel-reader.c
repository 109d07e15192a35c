/*
 * The reader of --control. The sampling thread executes the lines. A line ends with a newline, a
 * null byte, or the end of the channel.
 */
#include "cmd/record/channel-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cmd/ui.h"

enum { PATIENCE_MS = 1000 };

/* Waits until a descriptor is ready. Returns false if the reader is to end. */
static bool wait_for(const struct sprof_channel_reader *reader, int fd, short events)
{
	struct pollfd both[] = {
		{.fd = fd, .events = events},
		{.fd = reader->quit[0], .events = POLLIN},
	};

	while (poll(both, 2, -1) < 0) {
		if (errno != EINTR)
			return false;
	}
	return !both[1].revents;
}

/* A controller that does not read gets no more answers, but its lines are still executed. */
static bool is_writable(int fd)
{
	struct pollfd acks = {.fd = fd, .events = POLLOUT};

	return poll(&acks, 1, PATIENCE_MS) == 1;
}

static void answer(struct sprof_channel_reader *reader)
{
	static const char text[] = "ack\n";
	size_t done = 0;

	while (done < sizeof(text) - 1 && reader->channel.acks >= 0) {
		ssize_t length;

		if (!is_writable(reader->channel.acks))
			return;
		length = write(reader->channel.acks, text + done, sizeof(text) - 1 - done);
		if (length > 0)
			done += (size_t)length;
		else if (errno != EINTR && errno != EAGAIN)
			reader->channel.acks = -1;
	}
}

/* Returns when the line was executed, or lines are no longer executed. */
static void hand_over(struct sprof_channel_reader *reader, enum sprof_line line)
{
	pthread_mutex_lock(&reader->mutex);
	if (!reader->is_over) {
		reader->waiting = line;
		kill(getpid(), SIGIO);
	}
	while (!reader->is_over && (reader->waiting || reader->is_taken))
		pthread_cond_wait(&reader->changed, &reader->mutex);
	pthread_mutex_unlock(&reader->mutex);
}

static void complain(struct sprof_channel_reader *reader)
{
	const int shown = reader->length < SPROF_LINE_MAX ? (int)reader->length : SPROF_LINE_MAX;

	if (reader->has_complained)
		return;
	reader->has_complained = true;
	sprof_ui_note("--control knows enable, disable, ping, stop and snapshot, not '%.*s'%s",
		shown, reader->line, reader->length > SPROF_LINE_MAX ? "..." : "");
}

static void end_line(struct sprof_channel_reader *reader)
{
	enum sprof_line line = reader->length > SPROF_LINE_MAX
		? SPROF_LINE_UNKNOWN
		: sprof_line_parse(reader->line, reader->length);

	if (line == SPROF_LINE_UNKNOWN) {
		complain(reader);
	} else if (line != SPROF_LINE_EMPTY) {
		hand_over(reader, line);
		answer(reader);
	}
	reader->length = 0;
}

static void add(struct sprof_channel_reader *reader, char c)
{
	if (c == '\n' || !c) {
		end_line(reader);
		return;
	}
	if (reader->length < SPROF_LINE_MAX)
		reader->line[reader->length] = c;
	if (reader->length <= SPROF_LINE_MAX)
		reader->length++;
}

/* Others may read the same channel: what poll reported may be gone, and then only the reader's end
 * finishes the wait. Errors as read(2). */
static ssize_t read_or_end(int fd, char *bytes, size_t size)
{
	ssize_t length;
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
	length = read(fd, bytes, size);
	pthread_setcancelstate(before, NULL);
	return length;
}

static void *read_lines(void *data)
{
	struct sprof_channel_reader *reader = data;
	char bytes[512];

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	while (wait_for(reader, reader->channel.lines, POLLIN)) {
		ssize_t length = read_or_end(reader->channel.lines, bytes, sizeof(bytes));

		if (length < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (length < 0)
			sprof_ui_note("--control: %s", strerror(errno));
		if (length <= 0)
			break;
		for (ssize_t i = 0; i < length; i++)
			add(reader, bytes[i]);
	}
	end_line(reader);
	return NULL;
}

bool sprof_channel_reader_start(struct sprof_channel_reader *reader,
	const struct sprof_channel *channel, struct sprof_error *err)
{
	int errnum;

	*reader = (struct sprof_channel_reader){.channel = *channel};
	if (pipe2(reader->quit, O_CLOEXEC))
		return sprof_error_errno(err, errno, "read --control");
	pthread_mutex_init(&reader->mutex, NULL);
	pthread_cond_init(&reader->changed, NULL);
	errnum = pthread_create(&reader->thread, NULL, read_lines, reader);
	if (!errnum)
		return true;
	close(reader->quit[0]);
	close(reader->quit[1]);
	return sprof_error_errno(err, errnum, "start a thread");
}

enum sprof_line sprof_channel_reader_take(struct sprof_channel_reader *reader)
{
	enum sprof_line line;

	pthread_mutex_lock(&reader->mutex);
	line = reader->waiting;
	reader->waiting = SPROF_LINE_EMPTY;
	reader->is_taken |= line != SPROF_LINE_EMPTY;
	pthread_mutex_unlock(&reader->mutex);
	return line;
}

void sprof_channel_reader_done(struct sprof_channel_reader *reader)
{
	pthread_mutex_lock(&reader->mutex);
	reader->is_taken = false;
	pthread_cond_signal(&reader->changed);
	pthread_mutex_unlock(&reader->mutex);
}

void sprof_channel_reader_end(struct sprof_channel_reader *reader)
{
	pthread_mutex_lock(&reader->mutex);
	reader->is_over = true;
	pthread_cond_signal(&reader->changed);
	pthread_mutex_unlock(&reader->mutex);
}

void sprof_channel_reader_finish(struct sprof_channel_reader *reader)
{
	sprof_channel_reader_end(reader);
	if (write(reader->quit[1], "", 1) == 1) {
		pthread_cancel(reader->thread);
		pthread_join(reader->thread, NULL);
	}
	close(reader->quit[0]);
	close(reader->quit[1]);
}
