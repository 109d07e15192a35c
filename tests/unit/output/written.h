/*
 * What a format writes, as text: for the tests of output/.
 */
#pragma once

#include "output/format.h"

/* An out that keeps what is written in memory, to be ended by written_take(). */
struct sprof_out *written_open(int *ret_fd);
/* Closes both; the text is the caller's to free. */
char *written_take(struct sprof_out *out, int fd);

/* All that the format writes of the profile; the caller frees it. */
char *written_by(const struct sprof_format *format, const struct sprof_profile *profile,
	const struct sprof_output_options *options);

/* The file's whole content; the caller frees it. */
char *written_file(const char *path);
