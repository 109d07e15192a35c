/*
 * The function that a person considers a thread blocked in: the innermost one outside of libc. And
 * where his own code called a library.
 */
#ifndef SPROF_PROFILE_OUTSIDE_H
#define SPROF_PROFILE_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* Whether a function belongs to libc, the dynamic loader, the vdso, or Go's runtime. */
bool sprof_profile_is_libc(const struct sprof_profile *profile, uint32_t function);

/* Whether it belongs to one of those, or to another shared library in the system's folders. */
bool sprof_profile_is_library(const struct sprof_profile *profile, uint32_t function);

/* The function; if a stack never leaves libc, the innermost one outside the kernel. NONE: none. */
uint32_t sprof_profile_outside_libc(const struct sprof_profile *profile, uint32_t stack);
/* The innermost function outside of these libraries: the program's own. NONE: there is none. */
uint32_t sprof_profile_outside_libraries(const struct sprof_profile *profile, uint32_t stack);
/* The line of that function; if a stack never leaves the libraries, the innermost one. NULL: none. */
const struct sprof_profile_line *sprof_profile_own_line(
	const struct sprof_profile *profile, uint32_t stack);
/* Where the holder of a lock is: its function of an interpreted language, if there is one. */
uint32_t sprof_profile_holding_function(const struct sprof_profile *profile, uint32_t stack);

/* The kind of lock that a function of libc is for. */
enum sprof_lock_kind sprof_profile_lock_by_name(const char *name);

/* The kind of lock that the innermost libc functions of the stack name. */
enum sprof_lock_kind sprof_profile_lock_of(const struct sprof_profile *profile, uint32_t stack);

#endif
