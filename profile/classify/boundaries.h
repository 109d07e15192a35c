/*
 * Where libc ends, and what its functions wait for. profile/classify/own-code.h has the other
 * classes of code.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/model/profile.h"

/* Whether a function belongs to libc, the dynamic loader, the vdso, OpenMP, or Go's runtime. */
bool sprof_profile_is_libc(const struct sprof_profile *profile, uint32_t function);

/* The kind of lock that a libc function is for, by its name. */
enum sprof_lock_kind sprof_profile_lock_by_name(const char *name);

/* Whether CPython's function waits for one of Python's locks. */
bool sprof_profile_takes_python_lock(const char *name);

/* Whether it is a method of a lock object of Python. */
bool sprof_profile_is_python_lock(const char *name);
/*
 * The kind of lock that a Python thread waits for, from the innermost Python function and the path
 * of its file. SEMAPHORE: not only a lock, because a queue waits in the same way.
 */
enum sprof_lock_kind sprof_profile_python_lock(const char *name, const char *path);

/* The kind of lock by the innermost libc functions of the stack. */
enum sprof_lock_kind sprof_profile_lock_of(const struct sprof_profile *profile, uint32_t stack);
