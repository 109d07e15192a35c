/*
 * The function to show for a blocked thread: the innermost one outside libc. And where the
 * program's own code called a library.
 */
#ifndef SPROF_PROFILE_ANSWER_BOUNDARIES_H
#define SPROF_PROFILE_ANSWER_BOUNDARIES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/model/profile.h"

/* Whether a function belongs to libc, the dynamic loader, the vdso, or Go's runtime. */
bool sprof_profile_is_libc(const struct sprof_profile *profile, uint32_t function);

/* The same, or to another shared library in the system's folders. */
bool sprof_profile_is_library(const struct sprof_profile *profile, uint32_t function);

/*
 * The innermost function outside libc; if there is none, the innermost outside the kernel. NONE:
 * empty.
 */
uint32_t sprof_profile_outside_libc(const struct sprof_profile *profile, uint32_t stack);
/* The innermost function outside these libraries. NONE: there is none. */
uint32_t sprof_profile_outside_libraries(const struct sprof_profile *profile, uint32_t stack);
/* The line of that function; if there is none, the innermost line. NULL: empty. */
const struct sprof_profile_line *sprof_profile_own_line(
	const struct sprof_profile *profile, uint32_t stack);
/* The function to show for a lock's holder: of an interpreted language, if there is one. */
uint32_t sprof_profile_holding_function(const struct sprof_profile *profile, uint32_t stack);

/* The kind of lock that a libc function is for, by its name. */
enum sprof_lock_kind sprof_profile_lock_by_name(const char *name);

/* Whether CPython's function waits for one of Python's locks. */
bool sprof_profile_takes_python_lock(const char *name);
/*
 * The kind of a Python lock by the innermost Python function and the path of its file, for threads
 * also wait for other things with locks. SEMAPHORE: for anything, as in a queue.
 */
enum sprof_lock_kind sprof_profile_python_lock(const char *name, const char *path);

/* The kind of lock by the innermost libc functions of the stack. */
enum sprof_lock_kind sprof_profile_lock_of(const struct sprof_profile *profile, uint32_t stack);

#endif
