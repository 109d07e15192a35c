/*
 * Catches what a format writes in a memfd.
 */
#include "tests/unit/output/written.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/check.h"

struct sprof_out *written_open(int *ret_fd)
{
	struct sprof_out *out;
	struct sprof_error err;

	*ret_fd = memfd_create("written", MFD_CLOEXEC);
	assert_true(*ret_fd >= 0);
	assert_true(sprof_out_open_fd(*ret_fd, "memory", &out, &err));
	return out;
}

static char *content(int fd)
{
	struct stat status;
	char *text;

	assert_int_equal(fstat(fd, &status), 0);
	text = calloc(1, (size_t)status.st_size + 1);
	assert_non_null(text);
	assert_int_equal(pread(fd, text, (size_t)status.st_size, 0), status.st_size);
	return text;
}

char *written_take(struct sprof_out *out, int fd)
{
	struct sprof_error err;
	char *text;

	assert_true(sprof_out_close(out, &err));
	text = content(fd);
	close(fd);
	return text;
}

char *written_by(const struct sprof_format *format, const struct sprof_profile *profile,
	const struct sprof_output_options *options)
{
	struct sprof_error err;
	int fd;
	struct sprof_out *out = written_open(&fd);

	assert_true(format->write(profile, options, out, &err));
	return written_take(out, fd);
}

char *written_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text;

	assert_true(fd >= 0);
	text = content(fd);
	close(fd);
	return text;
}
