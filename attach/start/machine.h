/*
 * Whether sprof can run on this machine.
 */
#ifndef SPROF_ATTACH_START_MACHINE_H
#define SPROF_ATTACH_START_MACHINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"

/* On false, the error names the missing requirement. */
SPROF_MUST_USE bool sprof_machine_check(struct sprof_error *err);

/* The part of this check for commands that only read /proc. */
SPROF_MUST_USE bool sprof_machine_check_proc(struct sprof_error *err);

/*
 * Whether a release from uname(2) ("6.1.0-47-amd64") is Linux 5.7 or later. Also false for a text
 * that does not begin with two numbers, as Linux's own does (Makefile, KERNELRELEASE).
 */
bool sprof_requirements_has_release(const char *release);

/*
 * Whether this text of /proc/self/status describes the process `self`, and /proc shows the same
 * process ids as the caller's system calls. The line NSpid has one number per pid namespace, from
 * /proc's down to the process's (proc(5)), so it must contain only one: `self`. A kernel without
 * pid namespaces has no such line.
 */
bool sprof_requirements_has_own_proc(const char *status, pid_t self);

#endif
