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

enum { SPROF_PROC_STATUS_MAX = 8192 }; /* room for the text of any status */

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
