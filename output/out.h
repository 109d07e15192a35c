/*
 * The output of a format: a buffer in front of a file descriptor, or of a file that appears under
 * its name only when it is complete. Writing never fails at once: the first error is kept, later
 * output is dropped, and sprof_out_close() reports the error. So a writer needs no check per line,
 * and no error is lost. The process must ignore SIGPIPE; then a closed pipe is an error like
 * others.
 */
#ifndef SPROF_OUTPUT_OUT_H
#define SPROF_OUTPUT_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"

struct sprof_out;

/*
 * Writes to an open descriptor, which the caller still owns. Errors use `name` (copied). False: no
 * memory.
 */
SPROF_MUST_USE bool sprof_out_open_fd(
	int fd, const char *name, struct sprof_out **ret, struct sprof_error *err);

/*
 * Writes to a file. A regular file is written beside its place, and sprof_out_close() moves it
 * there. It gets the mode of the file that it replaces, or what the umask leaves of 0666. Symbolic
 * links are followed. A FIFO, a terminal, /dev/null and /dev/full, and our own descriptor (-,
 * /dev/stdout, /dev/fd/N), are written directly; other devices are refused.
 */
SPROF_MUST_USE bool sprof_out_open(
	const char *path, struct sprof_out **ret, struct sprof_error *err);

/* Checks whether sprof_out_open() would work. Leaves no trace, and does not open a FIFO. */
SPROF_MUST_USE bool sprof_out_probe(const char *path, struct sprof_error *err);

/* Whether the path is our stdout: "-", /dev/stdout and the like. */
bool sprof_out_is_stdout(const char *path);

/*
 * Whether what is written to one path would replace, or mix with, what is written to the other. Two
 * paths to a terminal, to /dev/null or to /dev/full don't count.
 */
bool sprof_out_is_same(const char *one, const char *two);

/* A file that is replaced at the end gets .old behind its name. */
void sprof_out_keep_old(struct sprof_out *out);

void sprof_out_write(struct sprof_out *out, const void *bytes, size_t size);
void sprof_out_puts(struct sprof_out *out, const char *text);
void sprof_out_printf(struct sprof_out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Writes the same byte `count` times. */
void sprof_out_fill(struct sprof_out *out, char byte, size_t count);

/* Records errnum as if writing had failed with it, for writers that run out of memory. */
void sprof_out_fail(struct sprof_out *out, int errnum);

/* Passes on what was written so far, for readers that watch it grow. */
void sprof_out_flush(struct sprof_out *out);

/* True after an error: a long writer may stop early. */
bool sprof_out_failed(const struct sprof_out *out);

/* Writes the rest, moves the file to its place and frees out. False: the first error. */
SPROF_MUST_USE bool sprof_out_close(struct sprof_out *out, struct sprof_error *err);

/* Frees out and leaves no file behind; directly written output can't be taken back. NULL is
 * accepted. */
void sprof_out_discard(struct sprof_out *out);

#endif
