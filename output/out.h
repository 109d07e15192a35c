/*
 * The output of a format: a buffer in front of a file descriptor, or of a file that gets its name
 * only when complete. Write functions don't report errors: the first error is stored, later output
 * is dropped, and sprof_out_close() reports the error. So writers need no checks. The process must
 * ignore SIGPIPE; a closed pipe is then an ordinary error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"

struct sprof_out;

/*
 * Writes to an open descriptor, which the caller still owns. `name` (copied) is for messages.
 * Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_out_open_fd(
	int fd, const char *name, struct sprof_out **ret, struct sprof_error *err);

/*
 * Writes to a file. A regular file is written under a temporary name, and sprof_out_close() renames
 * it. It gets the mode of the file that it replaces, or 0666 minus the umask. Symbolic links are
 * followed. A FIFO, a terminal, /dev/null, /dev/full, and sprof's own descriptors (-, /dev/stdout,
 * /dev/fd/N) are written directly; other devices are refused.
 */
SPROF_MUST_USE bool sprof_out_open(
	const char *path, struct sprof_out **ret, struct sprof_error *err);

/* Checks whether sprof_out_open() would succeed. Leaves no file, and does not open a FIFO. */
SPROF_MUST_USE bool sprof_out_probe(const char *path, struct sprof_error *err);

/* Whether the path is sprof's stdout: "-", /dev/stdout and the like. */
bool sprof_out_is_stdout(const char *path);

/*
 * Whether output to one path would replace, or mix with, output to the other. Terminals, /dev/null
 * and /dev/full don't count.
 */
bool sprof_out_is_same(const char *one, const char *two);

/* Renames a replaced file to NAME.old. */
void sprof_out_keep_old(struct sprof_out *out);

void sprof_out_write(struct sprof_out *out, const void *bytes, size_t size);
void sprof_out_puts(struct sprof_out *out, const char *text);
void sprof_out_printf(struct sprof_out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Writes a byte `count` times. */
void sprof_out_fill(struct sprof_out *out, char byte, size_t count);

/* Stores errnum as if a write had failed, for writers that run out of memory. */
void sprof_out_fail(struct sprof_out *out, int errnum);

/* Writes the buffer, for readers that follow the output. */
void sprof_out_flush(struct sprof_out *out);

/* True after an error, so that a long writer may stop early. */
bool sprof_out_failed(const struct sprof_out *out);

/* Writes the rest, renames the file, and frees `out`. On false, err is the first error. */
SPROF_MUST_USE bool sprof_out_close(struct sprof_out *out, struct sprof_error *err);

/*
 * Closes it if the writer has written the whole, else discards it: then err has the writer's error.
 */
SPROF_MUST_USE bool sprof_out_end(struct sprof_out *out, bool is_whole, struct sprof_error *err);

/* Frees `out` and leaves no file; directly written output stays. NULL is accepted. */
void sprof_out_discard(struct sprof_out *out);
