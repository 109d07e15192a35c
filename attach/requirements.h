/*
 * What sprof needs of the machine it runs on, before it touches a process.
 */
#ifndef SPROF_ATTACH_REQUIREMENTS_H
#define SPROF_ATTACH_REQUIREMENTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Whether a release as uname(2) gives it ("6.1.0-47-amd64") is that of Linux 5.7 or a later one. False
 * also for a text that does not begin with two numbers: Linux's own always does (Makefile, KERNELRELEASE).
 */
bool sprof_requirements_has_release(const char *release);

/*
 * Whether this text of /proc/self/status is about the process `self`, and /proc shows processes by the
 * same numbers as the caller's system calls do. The line NSpid has one number for each pid namespace
 * from /proc's own down to the process's (proc(5)), so it must have a single one, which is `self`. A kernel
 * without pid namespaces has no such line.
 */
bool sprof_requirements_has_own_proc(const char *status, pid_t self);

/* Both for this machine and process. False: the error says which is missing. */
bool sprof_requirements_check(struct sprof_error *err);

#endif
