/*
 * Threads that a language's runtime keeps ready, and that have nothing to run.
 */
#ifndef SPROF_PROFILE_IDLE_H
#define SPROF_PROFILE_IDLE_H

#include <stdint.h>

#include "profile/profile.h"

/* What a thread that is blocked there has none of: "no goroutine to run". NULL: it waits for something. */
const char *sprof_profile_idle_for(const struct sprof_profile *profile, uint32_t stack);

#endif
