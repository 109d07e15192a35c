/*
 * The fields of /proc/PID/status, and of other files with "name:" before each value (proc(5)).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

enum { SPROF_PROC_STATUS_MAX = 8192 }; /* room for the text of any status without its groups */

/*
 * Reads the status of a process (tid 0) or a thread, NUL-terminated. Returns the length, or -1 with
 * errno. A list of groups that does not fit is left out: there may be 65536 (NGROUPS_MAX), and
 * other fields follow them.
 */
SPROF_MUST_USE ssize_t sprof_proc_status_read(pid_t pid, pid_t tid, char *buffer, size_t size);
SPROF_MUST_USE ssize_t sprof_proc_status_read_open(int fd, char *buffer, size_t size);

/*
 * The value of `field` ("Tgid"), without surrounding blanks. Returns false if there is no such
 * field.
 */
SPROF_MUST_USE bool sprof_proc_status_field(
	const char *text, const char *field, char *ret, size_t size);

/*
 * The value of a field as a decimal number. Returns false if there is no such field, or it is no
 * number.
 */
SPROF_MUST_USE bool sprof_proc_status_number(const char *text, const char *field, long *ret);

/* The last id of a field such as "NSpid": the innermost namespace's. 0: no such field. */
pid_t sprof_proc_status_inner_id(const char *text, const char *field);

/*
 * Reads a number from a thread's status. Returns false if the thread is gone, or has no such field.
 */
SPROF_MUST_USE bool sprof_proc_status_read_number(pid_t tid, const char *field, long *ret);

/*
 * Whether a signal set ("SigCgt") contains this signal. False also if there is no such field, or it
 * is invalid.
 */
bool sprof_proc_status_has_signal(const char *text, const char *field, int signal);
/* Whether the process handles the signal. */
bool sprof_proc_has_handler(pid_t pid, int signal);
