/*
 * Where a format writes to: a buffer in front of a file descriptor or of a file that appears under
 * its name only when it is whole.
 *
 * Writing never fails on the spot: the first error is kept, what follows it is dropped, and
 * sprof_out_close() reports it. So a writer needs no check per line, and no error is lost. The
 * process must ignore SIGPIPE for a closed pipe to be such an error.
 */
#ifndef SPROF_OUTPUT_OUT_H
#define SPROF_OUTPUT_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct sprof_out;

/*
 * Writes to an open descriptor, which stays the caller's; `name` is what errors call it (copied).
 * False: no memory.
 */
bool sprof_out_open_fd(int fd, const char *name, struct sprof_out **ret, struct sprof_error *err);

/*
 * Writes to a file. A regular file is written beside its place and moved there by
 * sprof_out_close(): with the mode of the file it replaces, or what the umask leaves of 0666.
 * Symbolic links are followed. What exists and is no regular file (a FIFO, /dev/null), and a
 * descriptor of our own (/dev/stdout, /dev/fd/N), is written straight to.
 */
bool sprof_out_open(const char *path, struct sprof_out **ret, struct sprof_error *err);

/* Finds out whether sprof_out_open() would work, and leaves no trace; a FIFO is not opened. */
bool sprof_out_probe(const char *path, struct sprof_error *err);

void sprof_out_write(struct sprof_out *out, const void *bytes, size_t size);
void sprof_out_puts(struct sprof_out *out, const char *text);
void sprof_out_printf(struct sprof_out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same byte `count` times. */
void sprof_out_fill(struct sprof_out *out, char byte, size_t count);

/* Keeps errnum as if writing had failed with it; for writers that run out of memory on the way. */
void sprof_out_fail(struct sprof_out *out, int errnum);

/* True once something could not be written: a long writer may stop early. */
bool sprof_out_failed(const struct sprof_out *out);

/* Writes what is left, moves the file to its place and frees out. False: the first error of all. */
bool sprof_out_close(struct sprof_out *out, struct sprof_error *err);

/* Frees out and leaves no file behind; what went straight to its place can't be taken back. NULL is
 * accepted. */
void sprof_out_discard(struct sprof_out *out);

#endif
