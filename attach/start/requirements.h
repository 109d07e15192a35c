/* What sprof requires of the machine. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

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
