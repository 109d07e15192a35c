/*
 * The fields of /proc/PID/status, and of other files with "name:" before each value (proc(5)).
 */
#ifndef SPROF_BASE_PROC_STATUS_H
#define SPROF_BASE_PROC_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"

enum { SPROF_PROC_STATUS_MAX = 8192 }; /* room for the text of any status without its groups */

/*
 * Reads the status of a process (tid 0) or a thread, NUL-terminated. Returns the length, or -1 with errno. A list of
 * groups that does not fit is left out: there may be 65536 (NGROUPS_MAX), and other fields stand behind them.
 */
SPROF_MUST_USE ssize_t sprof_proc_status_read(pid_t pid, pid_t tid, char *buffer, size_t size);
SPROF_MUST_USE ssize_t sprof_proc_status_read_open(int fd, char *buffer, size_t size);

/* The value of `field` ("Tgid") in the text, without the blanks around it. False: no such field. */
SPROF_MUST_USE bool sprof_proc_status_field(
	const char *text, const char *field, char *ret, size_t size);

/* The value of the field as a number in base 10. False: no such field, or no number. */
SPROF_MUST_USE bool sprof_proc_status_number(const char *text, const char *field, long *ret);

/* The last id of a field such as "NSpid": the innermost namespace's. 0: no such field. */
pid_t sprof_proc_status_inner_id(const char *text, const char *field);

/* Reads the status of a thread for one number. False: the thread is gone, or has no such field. */
SPROF_MUST_USE bool sprof_proc_status_read_number(pid_t tid, const char *field, long *ret);

/* Whether a set of signals ("SigCgt") has this one. False also: no such field, or no such set. */
bool sprof_proc_status_has_signal(const char *text, const char *field, int signal);

#endif
