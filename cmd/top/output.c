/*
 * Keeps output to the terminal while the screen is open. Does not handle programs that check their
 * stdout: they find a file.
 */
#include "cmd/top/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	KEPT_MAX = 1024 * 1024,
	LOOK_AGAIN_MS = 50, /* growth of a memory file can't be waited for */
	CHUNK = 16 * 1024,
};

static void redirect(struct sprof_top_output *output, int stream, int target)
{
	if (!isatty(stream))
		return;
	output->saved[stream] = fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (output->saved[stream] >= 0)
		dup2(target, stream);
}

static void redirect_input(struct sprof_top_output *output)
{
	const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (nothing < 0)
		return;
	redirect(output, STDIN_FILENO, nothing);
	close(nothing);
}

bool sprof_top_output_begin(
	struct sprof_top_output *output, bool with_input, struct sprof_error *err)
{
	*output = (struct sprof_top_output){.saved = {-1, -1, -1}, .kept = -1, .quit = -1};
	output->kept = memfd_create("sprof-top", MFD_CLOEXEC);
	if (output->kept < 0 || fcntl(output->kept, F_SETFL, O_APPEND))
		return sprof_error_errno(err, errno, "make a file in memory");
	redirect(output, STDOUT_FILENO, output->kept);
	redirect(output, STDERR_FILENO, output->kept);
	if (with_input)
		redirect_input(output);
	return true;
}

static off_t size_of(const struct sprof_top_output *output)
{
	struct stat status;

	return fstat(output->kept, &status) ? 0 : status.st_size;
}

/* The file keeps its size, but the memory of its beginning is freed. */
static void drop_until(struct sprof_top_output *output, off_t end)
{
	fallocate(output->kept, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, end);
	output->shown = end;
}

void sprof_top_output_trim(struct sprof_top_output *output)
{
	const off_t size = size_of(output);

	if (size - output->shown > 2 * KEPT_MAX)
		drop_until(output, size - KEPT_MAX);
}

/* Where to show the kept text: the first of stdout and stderr that was the terminal. */
static int terminal_of(const struct sprof_top_output *output)
{
	return output->saved[STDOUT_FILENO] >= 0 ? STDOUT_FILENO : STDERR_FILENO;
}

static void write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		const ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno != EINTR)
			return;
		if (written > 0) {
			bytes += written;
			size -= (size_t)written;
		}
	}
}

static void show_new(struct sprof_top_output *output)
{
	char bytes[CHUNK];
	ssize_t length;

	while ((length = pread(output->kept, bytes, sizeof(bytes), output->shown)) > 0) {
		write_all(terminal_of(output), bytes, (size_t)length);
		drop_until(output, output->shown + length);
	}
}

static void *follow(void *data)
{
	struct sprof_top_output *output = data;
	struct pollfd quit = {.fd = output->quit, .events = POLLIN};

	while (poll(&quit, 1, LOOK_AGAIN_MS) <= 0)
		show_new(output);
	return NULL;
}

void sprof_top_output_show(struct sprof_top_output *output)
{
	if (output->kept < 0 || output->follows)
		return;
	for (int stream = 0; stream <= STDERR_FILENO; stream++) {
		if (output->saved[stream] >= 0)
			dup2(output->saved[stream], stream);
	}
	if (size_of(output) > output->shown && output->shown)
		write_all(terminal_of(output), "...\n", 4);
	show_new(output);
	output->quit = eventfd(0, EFD_CLOEXEC);
	output->follows =
		output->quit >= 0 && !pthread_create(&output->thread, NULL, follow, output);
}

void sprof_top_output_finish(struct sprof_top_output *output)
{
	const uint64_t one = 1;

	if (output->kept < 0)
		return;
	sprof_top_output_show(output);
	if (output->follows && write(output->quit, &one, sizeof(one)) == sizeof(one))
		pthread_join(output->thread, NULL);
	show_new(output);
	for (int stream = 0; stream <= STDERR_FILENO; stream++) {
		if (output->saved[stream] >= 0)
			close(output->saved[stream]);
	}
	if (output->quit >= 0)
		close(output->quit);
	close(output->kept);
}
