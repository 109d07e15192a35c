/* Errors as values: formats messages, and maps errno to a kind. Does not print: only cmd/ does. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static enum sprof_error_kind kind_of_errno(int errnum)
{
	switch (errnum) {
	case ENOENT:
	case ENOTDIR:
		return SPROF_ERROR_NOT_FOUND;
	case EPERM:
	case EACCES:
		return SPROF_ERROR_PERMISSION;
	case ESRCH:
		return SPROF_ERROR_TARGET_GONE;
	case ENOMEM:
		return SPROF_ERROR_NO_MEMORY;
	case ENOSYS:
	case EOPNOTSUPP:
		return SPROF_ERROR_UNSUPPORTED;
	default:
		return SPROF_ERROR_IO;
	}
}

bool sprof_error_set(struct sprof_error *err, enum sprof_error_kind kind, const char *format, ...)
{
	va_list args;

	err->kind = kind;
	err->os_errno = 0;
	err->hint[0] = '\0';
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return false;
}

bool sprof_error_errno(struct sprof_error *err, int errnum, const char *format, ...)
{
	va_list args;
	size_t length;

	err->kind = kind_of_errno(errnum);
	err->os_errno = errnum;
	err->hint[0] = '\0';
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	length = strlen(err->message);
	snprintf(err->message + length, sizeof(err->message) - length, ": %s", strerror(errnum));
	return false;
}

bool sprof_error_no_memory(struct sprof_error *err)
{
	return sprof_error_errno(err, ENOMEM, "out of memory");
}

bool sprof_error_hint(struct sprof_error *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err->hint, sizeof(err->hint), format, args);
	va_end(args);
	return false;
}
