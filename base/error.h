/*
 * The project's one error value.
 *
 * A function that can fail fatally returns false and fills the caller's struct sprof_error; it
 * never prints. Expected outcomes (a thread is gone, a stack ends early) are enums of their
 * function. Bugs are assertions. The text lives in the struct, so that failing needs no memory.
 */
#pragma once

#include <stdbool.h>

enum sprof_error_kind {
	SPROF_ERROR_NONE,
	SPROF_ERROR_USAGE,     /* the user's input is wrong */
	SPROF_ERROR_NOT_FOUND, /* no such program, process, file */
	SPROF_ERROR_PERMISSION,
	SPROF_ERROR_UNSUPPORTED, /* not supported by this kernel, file or machine */
	SPROF_ERROR_TARGET_GONE,
	SPROF_ERROR_IO,
	SPROF_ERROR_NO_MEMORY,
};

struct sprof_error {
	enum sprof_error_kind kind;
	int os_errno; /* 0 if no system call failed */
	char message[512];
	char hint[512]; /* empty if there is no remedy */
};

/* All return false, so that a failing function can end with `return sprof_error_set(...)`. */
bool sprof_error_set(struct sprof_error *err, enum sprof_error_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Like sprof_error_set, with the kind for errnum, and ": strerror(errnum)" after the text. */
bool sprof_error_errno(struct sprof_error *err, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

bool sprof_error_no_memory(struct sprof_error *err);

/* One sentence with the remedy. Returns false, as the functions that set an error do. */
bool sprof_error_hint(struct sprof_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
