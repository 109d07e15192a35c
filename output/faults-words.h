/* Private to output/: one sentence about page faults. */
#pragma once

#include "profile/model/profile.h"

/*
 * "10240 page faults touched 40.0 MiB, 98 % of them in fill called from load", with names truncated
 * to `room` characters. The caller frees it. NULL: the profile has no faults, or out of memory.
 */
char *sprof_faults_words(const struct sprof_profile *profile, size_t room);
