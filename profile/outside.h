/*
 * The function that a person takes a blocked thread to be in: the innermost one outside of libc.
 */
#ifndef SPROF_PROFILE_OUTSIDE_H
#define SPROF_PROFILE_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* Whether a function is libc's, the dynamic loader's or the vdso's, or of Go's runtime. */
bool sprof_profile_is_libc(const struct sprof_profile *profile, uint32_t function);

/* The function; of a stack that never leaves libc the innermost one that is not the kernel's. NONE:
 * no such. */
uint32_t sprof_profile_outside_libc(const struct sprof_profile *profile, uint32_t stack);

/* What kind of lock the innermost libc functions say the stack is about. */
enum sprof_lock_kind sprof_profile_lock_of(const struct sprof_profile *profile, uint32_t stack);

#endif
